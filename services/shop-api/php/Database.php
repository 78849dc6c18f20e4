<?php

declare(strict_types=1);

/** The connection to PostgreSQL, which each process of PHP-FPM opens at its first request that needs one and keeps. */
final class Database
{
    private static ?PDO $connection = null;

    public static function connection(): PDO
    {
        return self::$connection ??= self::connect();
    }

    /** The rows of a statement. */
    public static function rows(string $sql, array $values): array
    {
        return self::run(self::connection()->prepare($sql), $values)->fetchAll();
    }

    /** A statement that has run with these values. */
    public static function run(PDOStatement $statement, array $values): PDOStatement
    {
        $statement->execute($values);
        return $statement;
    }

    private static function connect(): PDO
    {
        $host = getenv('STEELYARD_HOST') ?: '127.0.0.1';
        $port = getenv('STEELYARD_PORT_DATABASE');
        $isolation = str_replace('-', '\\\\ ', getenv('STEELYARD_ISOLATION') ?: 'read-committed');
        $options = "options='-c default_transaction_isolation=$isolation'";
        return new PDO(
            "pgsql:host=$host;port=$port;dbname=steelyard;sslmode=disable;gssencmode=disable;$options",
            'steelyard',
            getenv('STEELYARD_PASSWORD'),
            [
                PDO::ATTR_PERSISTENT => true,
                PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
                PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
                PDO::ATTR_EMULATE_PREPARES => false,
                PDO::PGSQL_ATTR_DISABLE_PREPARES => getenv('STEELYARD_PREPARED') === 'off',
            ],
        );
    }
}

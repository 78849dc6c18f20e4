<?php

declare(strict_types=1);

require_once __DIR__ . '/Database.php';
require_once __DIR__ . '/Refusal.php';

/** Items, by their ids and by keyword. */
final class Items
{
    private const ITEM = 'SELECT id, name, keyword, price_cents AS "priceCents", description FROM item';

    public static function byId(int $id): array
    {
        return Database::rows(self::ITEM . ' WHERE id = :id', ['id' => $id])[0] ?? throw Refusal::notFound();
    }

    /** @param list<int> $ids */
    public static function byIds(array $ids): array
    {
        $array = '{' . implode(',', $ids) . '}'; // PDO binds no arrays
        return Database::rows(self::ITEM . ' WHERE id = ANY(CAST(:ids AS bigint[])) ORDER BY id', ['ids' => $array]);
    }

    public static function cheapest(string $keyword): array
    {
        $sql = self::ITEM . ' WHERE keyword = :keyword ORDER BY price_cents, id LIMIT 10';
        return Database::rows($sql, ['keyword' => $keyword]);
    }
}

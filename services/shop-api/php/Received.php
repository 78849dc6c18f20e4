<?php

declare(strict_types=1);

require_once __DIR__ . '/Refusal.php';

/** What a client sent, once it is valid. Types are strict: no text stands for a number, and no fraction for a whole number. */
final class Received
{
    private const MOST_IDS = 100;
    private const JSON = 'application/json';

    /** The body of the request that this script was started for. */
    public static function body(): stdClass
    {
        $type = strtolower(trim(explode(';', $_SERVER['CONTENT_TYPE'] ?? '')[0]));
        if ($type !== self::JSON) {
            throw Refusal::otherMediaType();
        }
        return self::json(file_get_contents('php://input'));
    }

    public static function json(string $text): stdClass
    {
        try {
            return self::object(json_decode($text, false, flags: JSON_THROW_ON_ERROR));
        } catch (JsonException) {
            throw Refusal::notValid();
        }
    }

    public static function object(mixed $value): stdClass
    {
        return $value instanceof stdClass ? $value : throw Refusal::notValid();
    }

    /** A text of so many characters and none that PostgreSQL cannot store, of which a form may match. */
    public static function text(mixed $value, int $least, int $most, string $form = '~~'): string
    {
        $is_text = is_string($value) && preg_match("~\\A[^\\x00]{{$least},{$most}}\\z~u", $value) === 1;
        return $is_text && preg_match($form, $value) === 1 ? $value : throw Refusal::notValid();
    }

    public static function integer(mixed $value, int $least, int $most): int
    {
        return is_int($value) && $value >= $least && $value <= $most ? $value : throw Refusal::notValid();
    }

    public static function number(mixed $value, int $least, int $most): int|float
    {
        $is_number = is_int($value) || is_float($value);
        return $is_number && $value >= $least && $value <= $most ? $value : throw Refusal::notValid();
    }

    public static function truth(mixed $value): bool
    {
        return is_bool($value) ? $value : throw Refusal::notValid();
    }

    /** A list of so many values, each as `$read` makes it of what was received. */
    public static function listOf(mixed $value, int $least, int $most, callable $read): array
    {
        if (!is_array($value) || count($value) < $least || count($value) > $most) {
            throw Refusal::notValid();
        }
        return array_map($read, $value);
    }

    /** A positive number in text. */
    public static function id(mixed $text): int
    {
        $is_number = is_string($text) && preg_match('~\A[0-9]{1,19}\z~', $text) === 1;
        $id = $is_number ? filter_var(ltrim($text, '0'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1]]) : false;
        return $id !== false ? $id : throw Refusal::notValid();
    }

    /** The ids of a list with commas. */
    public static function ids(mixed $text): array
    {
        $ids = is_string($text) ? explode(',', $text, self::MOST_IDS + 1) : [];
        return self::listOf($ids, 1, self::MOST_IDS, self::id(...));
    }

    public static function keyword(mixed $text): string
    {
        return self::text($text, 1, 100);
    }
}

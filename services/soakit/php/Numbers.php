<?php

declare(strict_types=1);

require_once __DIR__ . '/Documents.php';

/** Exact numbers, as texts: PHP's own have 64 bits. */
final class Numbers
{
    private const PLACES = 6;
    private const MOST_DIGITS = 40;

    /** An xs:decimal. */
    public static function decimal(string $text): string
    {
        $number = Documents::trimmed($text);
        $fraction = strlen($number) - (strpos($number, '.') ?: strlen($number) - 1) - 1;
        $formed = preg_match('/^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/D', $number);
        if (!$formed || strlen($number) > self::MOST_DIGITS || $fraction > self::PLACES) {
            throw Documents::fault('a text is no number');
        }
        return $number;
    }

    /** An xs:integer, in its plain spelling. */
    public static function integer(string $text): string
    {
        $number = Documents::trimmed($text);
        if (!preg_match('/^[+-]?[0-9]+$/D', $number) || strlen($number) > self::MOST_DIGITS) {
            throw Documents::fault('a text is no whole number');
        }
        return bcadd($number, '0', 0);
    }

    public static function sum(string $a, string $b): string
    {
        return bcadd($a, $b, 2 * self::PLACES);
    }

    public static function difference(string $a, string $b): string
    {
        return bcsub($a, $b, 2 * self::PLACES);
    }

    public static function product(string $a, string $b): string
    {
        return bcmul($a, $b, 2 * self::PLACES);
    }

    /** A number with no zeros at its end. */
    public static function written(string $number): string
    {
        return str_contains($number, '.') ? rtrim(rtrim($number, '0'), '.') : $number;
    }
}

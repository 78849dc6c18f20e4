<?php

/** All three use cases, their documents as strings. */

declare(strict_types=1);

require_once __DIR__ . '/../Buffet.php';
require_once __DIR__ . '/../Carriage.php';
require_once __DIR__ . '/../News.php';
require_once __DIR__ . '/../Orders.php';

Carriage::answer(new class {
    public function tvDinnerText(?object $request): array
    {
        return ['answer' => Orders::acknowledge($request->text ?? '')];
    }

    public function tvDinnerBareText(string $text): string
    {
        return Orders::acknowledge($text);
    }

    public function sushiBoatsText(?object $request): array
    {
        return ['answer' => News::digest($request->text ?? '')];
    }

    public function sushiBoatsBareText(string $text): string
    {
        return News::digest($text);
    }

    public function buffetText(?object $request): array
    {
        return ['answer' => Buffet::validate($request->text ?? '')];
    }

    public function buffetBareText(string $text): string
    {
        return Buffet::validate($text);
    }
});

<?php

/** Sushi Boats, its documents as XML. */

declare(strict_types=1);

require_once __DIR__ . '/../Carriage.php';
require_once __DIR__ . '/../News.php';

Carriage::answer(new class {
    public function sushiBoats(?object $request): array
    {
        return ['NewsDigest' => News::digest($request->NewsPosting ?? '')];
    }

    public function sushiBoatsBare(string $document): string
    {
        return News::digest($document);
    }
});

<?php

/** Sushi Boats, its documents as parts of rpc/literal. */

declare(strict_types=1);

require_once __DIR__ . '/../Carriage.php';
require_once __DIR__ . '/../News.php';

Carriage::answerRpc(new class {
    public function sushiBoatsRpc(string $document): string
    {
        return News::digest($document, isPart: true);
    }
});

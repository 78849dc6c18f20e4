<?php

/** TV Dinner, its documents as parts of rpc/literal. */

declare(strict_types=1);

require_once __DIR__ . '/../Carriage.php';
require_once __DIR__ . '/../Orders.php';

Carriage::answerRpc(new class {
    public function tvDinnerRpc(string $document): string
    {
        return Orders::acknowledge($document, isPart: true);
    }
});

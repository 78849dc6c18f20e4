<?php

/** The Buffet, its documents as parts of rpc/literal. */

declare(strict_types=1);

require_once __DIR__ . '/../Buffet.php';
require_once __DIR__ . '/../Carriage.php';

Carriage::answerRpc(new class {
    public function buffetRpc(): string
    {
        return Buffet::validateMessage(isPart: true);
    }
});

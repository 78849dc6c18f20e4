<?php

/** All three use cases, their documents as strings that are parts of rpc/literal. */

declare(strict_types=1);

require_once __DIR__ . '/../Buffet.php';
require_once __DIR__ . '/../Carriage.php';
require_once __DIR__ . '/../News.php';
require_once __DIR__ . '/../Orders.php';

Carriage::answerRpc(new class {
    public function tvDinnerRpcText(string $text): string
    {
        return Orders::acknowledge($text);
    }

    public function sushiBoatsRpcText(string $text): string
    {
        return News::digest($text);
    }

    public function buffetRpcText(string $text): string
    {
        return Buffet::validate($text);
    }
});

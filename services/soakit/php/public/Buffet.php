<?php

/** The Buffet, its documents as XML. */

declare(strict_types=1);

require_once __DIR__ . '/../Buffet.php';
require_once __DIR__ . '/../Carriage.php';

Carriage::answer(new class {
    public function buffet(): array
    {
        return ['Validation' => Buffet::validateMessage()];
    }

    public function buffetBare(): string
    {
        return Buffet::validateMessage();
    }
});

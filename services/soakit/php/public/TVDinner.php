<?php

/** TV Dinner, its documents as XML. */

declare(strict_types=1);

require_once __DIR__ . '/../Carriage.php';
require_once __DIR__ . '/../Orders.php';

Carriage::answer(new class {
    public function tvDinner(?object $request): array
    {
        return ['AcknowledgePurchaseOrder' => Orders::acknowledge($request->ProcessPurchaseOrder ?? '')];
    }

    public function tvDinnerBare(string $document): string
    {
        return Orders::acknowledge($document);
    }
});

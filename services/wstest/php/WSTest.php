<?php

declare(strict_types=1);

require_once __DIR__ . '/Orders.php';

/** The operations; SoapServer reads their requests and writes their answers by the WSDL. */
final class WSTest
{
    public function echoVoid(): array
    {
        return [];
    }

    public function echoStruct(object $request): array
    {
        return ['return' => $request->struct ?? []];
    }

    public function echoList(object $request): array
    {
        return isset($request->list) ? ['return' => $request->list] : [];
    }

    public function echoSynthetic(object $request): array
    {
        return ['return' => $request];
    }

    public function getOrder(object $request): array
    {
        return ['return' => Orders::order($request->orderId)];
    }
}

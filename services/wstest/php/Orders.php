<?php

declare(strict_types=1);

/** The purchase order of an id, by the rule in contract/wstest.xsd (type PurchaseOrder). */
final class Orders
{
    public static function order(int $n): array
    {
        $items = [];
        $total = 0;
        for ($i = 1; $i <= 5 + $n % 6; $i++) {
            $quantity = 1 + ($n + $i) % 9;
            $cents = 100 + 7 * ($n % 1000) + 25 * $i;
            $total += $quantity * $cents;
            $items[] = [
                'lineNumber' => $i,
                'sku' => sprintf('SKU-%05d', $n % 10000 + 37 * $i),
                'description' => 'Nuts & bolts, size ' . (1 + ($n + $i) % 12),
                'quantity' => $quantity,
                'unitPrice' => self::money($cents),
            ];
        }
        $customer = 1000 + $n % 9000;
        return [
            'orderId' => $n,
            'reference' => sprintf('PO-%09d', $n),
            'orderDate' => sprintf('2004-%02d-%02d', 1 + $n % 12, 1 + $n % 28),
            'customer' => [
                'customerId' => $customer,
                'name' => "Customer $customer",
                'email' => "customer$customer@example.com",
            ],
            'billingAddress' => self::address($n),
            'shippingAddress' => self::address(intdiv($n, 10)),
            'item' => $items,
            'total' => self::money($total),
        ];
    }

    private static function address(int $k): array
    {
        return [
            'street' => (1 + $k % 199) . ' Main Street',
            'city' => 'City ' . $k % 100,
            'state' => 'State ' . $k % 50,
            'postalCode' => sprintf('%05d', $k % 100000),
            'country' => 'US',
        ];
    }

    private static function money(int $cents): string
    {
        return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    }
}

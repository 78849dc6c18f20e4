<?php

declare(strict_types=1);

require_once __DIR__ . '/Received.php';

/** What echo answers with. Keys that a message does not know are left out. */
final readonly class Message
{
    /** @param list<MessageLine> $lines */
    private function __construct(
        public string $reference,
        public Customer $customer,
        public array $lines,
        public bool $gift,
        public int|float $discountPercent,
        public string $note,
    ) {
    }

    public static function from(stdClass $sent): self
    {
        return new self(
            Received::text($sent->reference ?? null, 1, 100),
            Customer::from(Received::object($sent->customer ?? null)),
            Received::listOf($sent->lines ?? null, 1, 50, MessageLine::from(...)),
            Received::truth($sent->gift ?? null),
            Received::number($sent->discountPercent ?? null, 0, 100),
            Received::text($sent->note ?? null, 0, 500),
        );
    }
}

final readonly class Customer
{
    private function __construct(public string $name, public string $email, public Address $address)
    {
    }

    public static function from(stdClass $sent): self
    {
        return new self(
            Received::text($sent->name ?? null, 1, 100),
            Received::text($sent->email ?? null, 1, 200, '~\A[^@\s]+@[^@\s]+\z~u'),
            Address::from(Received::object($sent->address ?? null)),
        );
    }
}

final readonly class Address
{
    private function __construct(
        public string $street,
        public string $city,
        public string $postalCode,
        public string $country,
    ) {
    }

    public static function from(stdClass $sent): self
    {
        return new self(
            Received::text($sent->street ?? null, 1, 100),
            Received::text($sent->city ?? null, 1, 100),
            Received::text($sent->postalCode ?? null, 1, 20),
            Received::text($sent->country ?? null, 2, 2, '~\A[A-Z]{2}\z~'),
        );
    }
}

final readonly class MessageLine
{
    /** @param list<string> $tags */
    private function __construct(public string $sku, public int $quantity, public int $priceCents, public array $tags)
    {
    }

    public static function from(mixed $value): self
    {
        $sent = Received::object($value);
        return new self(
            Received::text($sent->sku ?? null, 1, 30),
            Received::integer($sent->quantity ?? null, 1, 1000),
            Received::integer($sent->priceCents ?? null, 0, 10_000_000),
            Received::listOf($sent->tags ?? null, 0, 8, fn (mixed $tag): string => Received::text($tag, 1, 30)),
        );
    }
}

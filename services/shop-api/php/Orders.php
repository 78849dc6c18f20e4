<?php

declare(strict_types=1);

require_once __DIR__ . '/Answer.php';
require_once __DIR__ . '/Database.php';
require_once __DIR__ . '/Received.php';
require_once __DIR__ . '/Refusal.php';

/** An order as a client sends it, with its lines by item, the order in which all orders lock items. */
final readonly class OrderRequest
{
    /** @param list<LineRequest> $lines */
    private function __construct(public string $customer, public array $lines)
    {
    }

    public static function from(stdClass $sent): self
    {
        $customer = Received::text($sent->customer ?? null, 1, 100);
        $lines = Received::listOf($sent->lines ?? null, 1, 10, LineRequest::from(...));
        usort($lines, fn (LineRequest $a, LineRequest $b): int => $a->item <=> $b->item);
        if (count(array_unique(array_column($lines, 'item'))) < count($lines)) {
            throw Refusal::notValid();
        }
        return new self($customer, $lines);
    }
}

final readonly class LineRequest
{
    private function __construct(public int $item, public int $quantity)
    {
    }

    public static function from(mixed $value): self
    {
        $sent = Received::object($value);
        return new self(
            Received::integer($sent->item ?? null, 1, PHP_INT_MAX),
            Received::integer($sent->quantity ?? null, 1, 100),
        );
    }
}

/** Orders: one is kept with its lines and takes its items from the stock, or nothing of it happens. */
final class Orders
{
    private const SERIALIZATION_FAILURE = '40001'; // SQLSTATE
    private const ACCEPTED = 'accepted'; // in the memory that all of PHP-FPM's processes share
    private const INSERT_ORDER = 'INSERT INTO orders (customer) VALUES (:customer) RETURNING id';
    private const TAKE_STOCK = 'UPDATE item SET stock = stock - :quantity WHERE id = :item AND stock >= :quantity
        RETURNING name, price_cents AS "priceCents"';
    private const INSERT_LINE = 'INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents)
        VALUES (:order, :number, :item, :quantity, :price)';
    private const ORDER_LINES = 'SELECT customer, item_id AS item, name, quantity, order_line.price_cents AS "priceCents"
        FROM orders JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id
        WHERE orders.id = :id ORDER BY line_number';

    /** The number of orders that were accepted since the start. */
    public static function accepted(): int
    {
        return apcu_fetch(self::ACCEPTED) ?: 0;
    }

    /** Keeps an order; begins again where PostgreSQL ends the transaction for its isolation. */
    public static function place(OrderRequest $request): Answer
    {
        do {
            $kept = self::keep(Database::connection(), $request);
        } while ($kept === null);
        [$id, $lines] = $kept;
        apcu_inc(self::ACCEPTED);
        return new Answer(self::totalled($request->customer, $lines), 201, "/shop/orders/$id");
    }

    /** The id and the lines of the order once its transaction is committed; null if another one overtook it. */
    private static function keep(PDO $database, OrderRequest $request): ?array
    {
        $database->beginTransaction();
        try {
            $kept = self::insert($database, $request);
            $database->commit();
            return $kept;
        } catch (Throwable $error) {
            $database->rollBack();
            return self::isOvertaken($error) ? null : throw $error;
        }
    }

    public static function isOvertaken(Throwable $error): bool
    {
        return $error instanceof PDOException && ($error->errorInfo[0] ?? null) === self::SERIALIZATION_FAILURE;
    }

    public static function byId(int $id): array
    {
        $rows = Database::rows(self::ORDER_LINES, ['id' => $id]) ?: throw Refusal::notFound();
        $customer = $rows[0]['customer'];
        foreach ($rows as &$row) {
            unset($row['customer']);
        }
        return ['id' => $id] + self::totalled($customer, $rows);
    }

    /** The id and the lines of an order that is in the database, if its transaction is committed. */
    private static function insert(PDO $database, OrderRequest $request): array
    {
        $inserted = Database::run($database->prepare(self::INSERT_ORDER), ['customer' => $request->customer]);
        $id = $inserted->fetchColumn();
        $take = $database->prepare(self::TAKE_STOCK);
        $lines = [];
        foreach ($request->lines as $wanted) {
            $taken = Database::run($take, ['item' => $wanted->item, 'quantity' => $wanted->quantity])->fetch();
            if ($taken === false) {
                throw Refusal::outOfStock();
            }
            $lines[] = ['item' => $wanted->item, 'quantity' => $wanted->quantity] + $taken;
        }
        $insert = $database->prepare(self::INSERT_LINE);
        foreach ($lines as $index => $line) {
            Database::run($insert, [
                'order' => $id,
                'number' => $index + 1,
                'item' => $line['item'],
                'quantity' => $line['quantity'],
                'price' => $line['priceCents'],
            ]);
        }
        return [$id, $lines];
    }

    public static function totalled(string $customer, array $lines): array
    {
        $costs = array_map(fn (array $line): int => $line['quantity'] * $line['priceCents'], $lines);
        return ['customer' => $customer, 'lines' => $lines, 'totalCents' => array_sum($costs)];
    }
}

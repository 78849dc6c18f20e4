<?php

declare(strict_types=1);

require_once __DIR__ . '/../../common/php/Requests.php';
require_once __DIR__ . '/Answer.php';
require_once __DIR__ . '/Database.php';
require_once __DIR__ . '/Items.php';
require_once __DIR__ . '/Message.php';
require_once __DIR__ . '/Orders.php';
require_once __DIR__ . '/Received.php';
require_once __DIR__ . '/Refusal.php';

/** The shop's paths. */
final class Shop
{
    /** Answers a request. */
    public static function serve(string $method, string $path): void
    {
        $count = self::count($path);
        if ($count !== null) {
            header('Content-Type: text/plain');
            echo $count;
            return;
        }
        $operation = self::operation($method, $path);
        if ($operation !== null) {
            Requests::admit();
        }
        self::answer($operation)->send();
    }

    /** The count that a path asks for; null where it asks for none. */
    private static function count(string $path): ?int
    {
        return match ($path) {
            '/shop/count' => Requests::counted(),
            '/shop/accepted' => Orders::accepted(),
            default => null,
        };
    }

    /** What gives the answer; null where there is no such operation. */
    public static function operation(string $method, string $path): ?Closure
    {
        if (preg_match('~\A/shop/(items|orders)/([^/]+)\z~', $path, $parts) === 1) {
            [, $kind, $id] = $parts;
            return match ("$method $kind") {
                'GET items' => fn (): Answer => new Answer(Items::byId(Received::id($id))),
                'GET orders' => fn (): Answer => new Answer(Orders::byId(Received::id($id))),
                default => null,
            };
        }
        return match ("$method $path") {
            'POST /shop/echo' => fn (): Answer => new Answer(Message::from(Received::body())),
            'GET /shop/items' => fn (): Answer => new Answer(['items' => Items::byIds(Received::ids($_GET['ids'] ?? null))]),
            'GET /shop/search' => fn (): Answer => new Answer(['items' => Items::cheapest(Received::keyword($_GET['q'] ?? null))]),
            'POST /shop/orders' => fn (): Answer => Orders::place(OrderRequest::from(Received::body())),
            'GET /shop/static' => fn (): Answer => new Answer(['service' => 'shop-api', 'greeting' => 'hello']),
            default => null,
        };
    }

    /** The answer of an operation, or why there is none. */
    public static function answer(?Closure $operation): Answer
    {
        try {
            return $operation === null ? throw Refusal::notFound() : $operation();
        } catch (Refusal $refusal) {
            return new Answer(['error' => $refusal->getMessage()], $refusal->getCode());
        } catch (PDOException $error) {
            error_log("shop-api: {$error->getMessage()}");
            return new Answer(['error' => 'failed'], 500);
        }
    }
}

<?php

/** Requests are refused before the database, and messages come back: php -d zend.assertions=1 ShopTest.php ends with 0. */

declare(strict_types=1);

require_once __DIR__ . '/Shop.php';

ini_set('assert.exception', '1');
$contract = __DIR__ . '/../contract';

$refused = function (callable $work): bool {
    try {
        $work();
    } catch (Refusal $refusal) {
        return $refusal->getCode() === 400;
    }
    return false;
};

// Messages of the contract.
$exchanges = glob("$contract/exchanges/echo/*.exchange.json");
assert(count($exchanges) > 5);
foreach ($exchanges as $file) {
    $exchange = json_decode(file_get_contents($file));
    $echo = fn (): Message => Message::from(Received::json($exchange->request));
    if (($exchange->status ?? 200) === 400) {
        assert($refused($echo), $file);
    } else {
        assert(json_decode(json_encode($echo())) == json_decode($exchange->answer), $file);
    }
}

// Bad requests of the contract, and others.
$bad = array_map('file_get_contents', glob("$contract/bad/*.request.json"));
assert(count($bad) > 3);
foreach ([...$bad, '', 'not JSON', '{} {}', "{\"\xff\": 1}", str_repeat('[', 100_000), '{"reference": "\ud800"}'] as $body) {
    assert($refused(fn () => Message::from(Received::json($body))), substr($body, 0, 50));
}
foreach ([
    '{"customer": "c", "lines": [{"item": 1, "quantity": 1}, {"item": 1, "quantity": 1}]}',
    '{"customer": "\u0000", "lines": [{"item": 1, "quantity": 1}]}',
    '{"customer": "c", "lines": [{"item": 1, "quantity": 1.5}]}',
    '{"customer": "c", "lines": [{"item": "1", "quantity": 1}]}',
    '{"customer": "c", "lines": [{"item": 9223372036854775808, "quantity": 1}]}',
    '{"customer": "c", "lines": {"0": {"item": 1, "quantity": 1}}}',
    '{"customer": "c", "lines": []}',
] as $body) {
    assert($refused(fn () => OrderRequest::from(Received::json($body))), $body);
}

// Ids and keywords.
assert(Received::id('1') === 1 && Received::id('007') === 7 && Received::id('9223372036854775807') === PHP_INT_MAX);
foreach ([null, [], '', '0', '-1', '+1', '1.0', ' 1', "1\n", 'one', '9223372036854775808'] as $text) {
    assert($refused(fn () => Received::id($text)));
}
assert(Received::ids('3,1') === [3, 1] && count(Received::ids(implode(',', range(1, 100)))) === 100);
foreach ([null, ['1'], '', '1,', '1,,2', implode(',', range(1, 101))] as $text) {
    assert($refused(fn () => Received::ids($text)));
}
assert(Received::keyword(str_repeat('😀', 100)) === str_repeat('😀', 100));
foreach ([null, '', "a\0", "\xff", str_repeat('é', 101)] as $text) {
    assert($refused(fn () => Received::keyword($text)));
}

// Lines are in the order of their items, in which all orders lock them.
$lines = '[{"item": 10, "quantity": 1}, {"item": 9, "quantity": 2}, {"item": 100, "quantity": 3}]';
$request = OrderRequest::from(Received::json("{\"customer\": \"c\", \"lines\": $lines}"));
assert(array_column($request->lines, 'item') === [9, 10, 100]);
$totalled = Orders::totalled('c', [['quantity' => 2, 'priceCents' => 8019], ['quantity' => 3, 'priceCents' => 31776]]);
assert($totalled['totalCents'] === 111_366);

// Orders that begin again.
foreach (['40001' => true, '40P01' => false, '23505' => false] as $state => $again) {
    $error = new PDOException('ended');
    $error->errorInfo = [(string) $state, 7, 'ended'];
    assert(Orders::isOvertaken($error) === $again, (string) $state);
}
assert(!Orders::isOvertaken(new PDOException('40001')) && !Orders::isOvertaken(Refusal::outOfStock()));

// Paths.
assert(Shop::operation('GET', '/shop/items/1') !== null && Shop::operation('POST', '/shop/items/1') === null);
assert(Shop::operation('GET', '/shop/items/1/2') === null && Shop::operation('GET', '/elsewhere') === null);
assert(Shop::answer(null)->status === 404);

<?php

/** An order follows the rule of the schema: php -d zend.assertions=1 OrdersTest.php ends with 0. */

declare(strict_types=1);

require_once __DIR__ . '/Orders.php';

ini_set('assert.exception', '1');
$order = Orders::order(12345);
assert($order['reference'] === 'PO-000012345');
assert($order['orderDate'] === '2004-10-26');
assert(count($order['item']) === 8);
assert($order['item'][0]['unitPrice'] === '25.40');
assert($order['customer']['customerId'] === 4345);

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { operations } from '../operations.js';
import { purchaseOrder } from '../order.js';
import { readBytes, readFloat, readInt, writeFloat } from '../values.js';

const struct = { varInt: '1', varFloat: '1.5', varString: 'first' };
const read = { varInt: 1, varFloat: '1.5', varString: 'first' };

test('numbers are read in every spelling that the schema allows', () => {
  assert.equal(readInt(' +007\n'), 7);
  assert.equal(readInt('-2147483648'), -2147483648);
  assert.equal(readFloat('.5'), 0.5);
  assert.equal(writeFloat(readFloat('-INF')), '-INF');
  assert.equal(writeFloat(readFloat('NaN')), 'NaN');
});

test('what is no value of its type is refused with a fault', () => {
  for (const text of ['one', '', undefined, '2147483648', '1.0', '0x1']) assert.throws(() => readInt(text), hasFault);
  for (const text of ['one', '', '0x1', 'Infinity', '1_0']) assert.throws(() => readFloat(text), hasFault);
  for (const text of ['*', 'A', 'AA=', 'AAA=AAAA']) assert.throws(() => readBytes(text), hasFault);
});

test('white space in base64 means nothing', () => {
  assert.deepEqual([...readBytes('\n AQ\tI= ')], [1, 2]);
});

test('an element that may be repeated may come alone, several times or not at all', () => {
  assert.deepEqual(operations.echoStruct({ struct }), { return: [read] });
  assert.deepEqual(operations.echoStruct({ struct: [struct, struct] }), { return: [read, read] });
  assert.deepEqual(operations.echoStruct(null), { return: [] });
});

test('a list comes back nested as it came, and an absent one not at all', () => {
  const list = { value: struct, next: { value: struct } };
  assert.deepEqual(operations.echoList({ list }), { return: { value: read, next: { value: read } } });
  assert.deepEqual(operations.echoList(null), {});
});

test('an order follows the rule of the schema', () => {
  const order = purchaseOrder(12345);
  assert.equal(order.reference, 'PO-000012345');
  assert.equal(order.orderDate, '2004-10-26');
  assert.equal(order.item.length, 8);
  assert.equal(order.item[0].unitPrice, '25.40');
});

function hasFault(error) {
  return error.Fault.faultcode === 'soap:Client';
}

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isId, isListOfIds, listOf } from '../ids.js';
import { hasItemTwice, inOrderOfItems, totalOf } from '../lines.js';
import { shareOf } from '../share.js';
import { inTransaction } from '../transaction.js';

test('an id is a whole number from 1 to the largest of 64 bits', () => {
  for (const text of ['1', '007', '999999999999999999', '9223372036854775807']) assert.ok(isId(text), text);
  for (const text of ['', '0', '-1', '1.5', '1e3', 'one', ' 1', '9223372036854775808', '99999999999999999999']) assert.ok(!isId(text), text);
});

test('a list has from one to a hundred ids', () => {
  assert.ok(isListOfIds('1'));
  assert.ok(isListOfIds(Array(100).fill('7').join()));
  for (const text of ['', '1,', '1,,2', '1,two', Array(101).fill('7').join()]) assert.ok(!isListOfIds(text), text);
  assert.deepEqual(listOf('3,1'), ['3', '1']);
});

test('lines are in the order of their items, in which all orders lock them', () => {
  const lines = inOrderOfItems([{ item: 10 }, { item: 9 }, { item: 100 }]);
  assert.deepEqual(lines, [{ item: 9 }, { item: 10 }, { item: 100 }]);
  assert.ok(!hasItemTwice(lines));
  assert.ok(hasItemTwice(inOrderOfItems([...lines, { item: 9 }])));
});

test('an order costs what its lines cost', () => {
  assert.equal(totalOf([{ quantity: 2, priceCents: 8019 }, { quantity: 3, priceCents: 31776 }]), 111366);
});

test('the workers open all connections of the pool together, and each has one', () => {
  for (const [connections, workers] of [[16, 1], [16, 2], [16, 3], [5, 4], [4, 4]]) {
    const shares = Array.from({ length: workers }, (_, index) => shareOf(connections, index + 1, workers));
    assert.equal(shares.reduce((total, share) => total + share), connections);
    assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, String(shares));
  }
  assert.throws(() => shareOf(3, 1, 4), /each of 4 workers needs a connection; lower the factor workers/);
});

test('a transaction that another one overtook begins again, on the same connection, and any other error is thrown', async () => {
  const said = [];
  const client = { query: async (text) => said.push(text), release: () => said.push('release') };
  const pool = { connect: async () => client };
  const failures = [Object.assign(new Error('overtaken'), { code: '40001' })];
  const work = async () => {
    if (failures.length > 0) throw failures.pop();
    return 'kept';
  };
  assert.equal(await inTransaction(pool, work), 'kept');
  assert.deepEqual(said.splice(0), ['BEGIN', 'ROLLBACK', 'BEGIN', 'COMMIT', 'release']);
  failures.push(Object.assign(new Error('twice'), { code: '23505' }));
  await assert.rejects(inTransaction(pool, work), /twice/);
  assert.deepEqual(said, ['BEGIN', 'ROLLBACK', 'release']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stayBusy } from '../busy.js';

test('a request may keep the processor busy for a second, and no longer', () => {
  for (const asked of [undefined, '0', '1.8']) assert.ok(stayBusy({ headers: { 'steelyard-busy-us': asked } }), asked);
  for (const asked of ['1000000.5', '-1', 'NaN', 'a while']) assert.ok(!stayBusy({ headers: { 'steelyard-busy-us': asked } }), asked);
});

// Made by `steelyard export` of @SERVICE@: @LOAD@.
// Run it with: k6 run @FILE@
// What it cannot say as Steelyard does is named by `steelyard export`.
import { check, sleep } from 'k6';
import crypto from 'k6/crypto';
import { SharedArray } from 'k6/data';
import encoding from 'k6/encoding';
import exec from 'k6/execution';
import http from 'k6/http';

const TARGET = __ENV.TARGET || @ADDRESS@;
const SECRETS = @SECRET_HEADERS@;
// One entry an operation: `weight` is its share of the requests, `right` what its answers must be.
const OPERATIONS = @OPERATION_LIST@;
const ROWS = OPERATIONS.map((operation) => new SharedArray(operation.name, () => JSON.parse(open('./@DATA@'))[operation.name]));
const WEIGHTS = OPERATIONS.reduce((sums, operation) => [...sums, (sums[sums.length - 1] || 0) + operation.weight], []);

export const options = @OPTIONS@;

function secret(source) {
  return source.startsWith('env:') ? __ENV[source.slice(4)] : open(source.slice(5)).trim();
}

function uuid() {
  const bytes = new Uint8Array(crypto.randomBytes(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function filled(text) {
  return text.replace(/\{\{(\w+)\}\}/g, (place, name) => {
    if (name === 'uuid') return uuid();
    if (name === 'counter') return String(exec.scenario.iterationInTest);
    if (name === 'nonce') return encoding.b64encode(crypto.randomBytes(16));
    if (!name.startsWith('time')) return place;
    return new Date(Date.now() + 1000 * Number(name.slice(10) || 0)).toISOString();
  });
}

function length(text) {
  let bytes = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function isRight(answer, right) {
  const body = answer.body || '';
  return (
    right.status.includes(answer.status) &&
    (right.fault === 'any' || /<(?:\w+:)?Fault[\s>]/.test(body) === (right.fault === 'present')) &&
    (right.contains === null || body.includes(right.contains)) &&
    (right.matches === null || new RegExp(right.matches).test(body)) &&
    (right.length === null || (length(body) >= right.length.least && length(body) <= right.length.most))
  );
}

function pause() {
  @PAUSE@
}

export default function () {
  const drawn = Math.random() * WEIGHTS[WEIGHTS.length - 1];
  const chosen = WEIGHTS.findIndex((sum) => drawn < sum);
  const operation = OPERATIONS[chosen];
  const rows = ROWS[chosen];
  const row = rows[exec.scenario.iterationInTest % rows.length];
  const headers = {};
  for (const [name, value] of Object.entries({ ...operation.headers, ...SECRETS })) {
    headers[name] = operation.filled ? filled(value) : value;
  }
  let body = row.binary ? encoding.b64decode(row.body) : row.body;
  if (operation.filled && !row.binary) body = filled(body);
  const answer = http.request(operation.method, TARGET + (operation.filled ? filled(row.path) : row.path), body || null, {
    headers,
    redirects: 0,
    timeout: @TIMEOUT@,
    tags: { name: operation.name },
    responseCallback: http.expectedStatuses(...operation.right.status),
  });
  check(answer, { right: (given) => isRight(given, operation.right) }, { name: operation.name });
  pause();
}

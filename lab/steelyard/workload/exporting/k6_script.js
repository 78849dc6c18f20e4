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
// Secret values of places.
const VALUES = @SECRET_VALUES@;
// One entry an operation: `weight` is its share of the requests, `right` what its answers must be.
const OPERATIONS = @OPERATION_LIST@;
// One entry a session: `steps` are requests that one user makes in order, the first `once` of them before its first session only.
const SESSIONS = @SESSION_LIST@;
// Whether each session is of a new user, as with a rate.
const NEW_USERS = @NEW_USERS@;
const ROWS = {};
for (const { name } of [...OPERATIONS, ...SESSIONS.flatMap((session) => session.steps), ...SESSIONS]) {
  ROWS[name] = new SharedArray(name, () => JSON.parse(open('./@DATA@'))[name]);
}
const UNITS = [...OPERATIONS, ...SESSIONS];
const WEIGHTS = UNITS.reduce((sums, unit) => [...sums, (sums[sums.length - 1] || 0) + unit.weight], []);
// What this user keeps of the steps that it makes once, by session.
const users = {};

export const options = @OPTIONS@;

@FUNCTIONS@

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

function found(capture, answer) {
  if (capture.kind === 'header') {
    const name = Object.keys(answer.headers).find((own) => own.toLowerCase() === capture.header.toLowerCase());
    return answer.headers[name];
  }
  if (capture.kind === 'cookie') {
    const set = answer.cookies[capture.cookie];
    return set && set[set.length - 1].value;
  }
  if (capture.kind === 'regex') {
    const match = new RegExp(capture.expression, capture.flags).exec(answer.body || '');
    return match && (match.length > 1 ? match[1] : match[0]);
  }
  try {
    return capture.path.reduce((value, key) => value[key], JSON.parse(answer.body));
  } catch (error) {
    return undefined;
  }
}

function isCaptured(capture, answer, values) {
  const value = found(capture, answer);
  if (value === undefined || value === null || value === '' || typeof value === 'object') {
    delete values[capture.name];
    return capture.mayLack === true;
  }
  values[capture.name] = String(value);
  return true;
}

function pause() {
  @PAUSE@
}

function think(drawn) {
  if (drawn.kind === 'constant') sleep(drawn.ms / 1000);
  if (drawn.kind === 'uniform') sleep((drawn.ms + Math.random() * (drawn.to_ms - drawn.ms)) / 1000);
  if (drawn.kind === 'exponential') sleep((-Math.log(1 - Math.random()) * drawn.ms) / 1000);
}

// Sends a request; returns whether its answer is right, failed, or has a status of `againOn`.
function send(operation, values, againOn) {
  const rows = ROWS[operation.name];
  const row = rows[exec.scenario.iterationInTest % rows.length];
  const headers = {};
  for (const [name, value] of Object.entries({ ...operation.headers, ...SECRETS })) {
    headers[name] = operation.filled ? filled(value, values) : value;
  }
  let body = row.binary ? encoding.b64decode(row.body) : row.body;
  if (operation.filled && !row.binary) body = filled(body, values);
  const path = operation.filled ? filled(row.path, values) : row.path;
  const answer = http.request(operation.method, TARGET + path, body || null, {
    headers,
    redirects: 0,
    timeout: @TIMEOUT@,
    tags: { name: operation.name },
    responseCallback: http.expectedStatuses(...operation.right.status, ...againOn),
  });
  const right = isRight(answer, operation.right) && (operation.captures || []).every((capture) => isCaptured(capture, answer, values));
  const again = !right && againOn.includes(answer.status);
  check(answer, { right: () => right || again }, { name: operation.name });
  return again ? 'again' : right ? 'right' : 'failed';
}

function isOld(session) {
  const user = users[session.name];
  return session.againAfterMs !== null && user !== undefined && Date.now() - user.at >= session.againAfterMs;
}

// Makes the steps that a user makes once; returns whether all of them were right.
function makeOnce(session, values) {
  for (const step of session.steps.slice(0, session.once)) {
    if (send(step, values, []) !== 'right') return false;
    think(step.think);
  }
  users[session.name] = { at: Date.now(), values: { ...values } };
  return true;
}

// Makes the steps of a session; returns whether all of them were made.
function visit(session) {
  if (session.newVisitor) http.cookieJar().clear(TARGET);
  if (NEW_USERS) delete users[session.name];
  const rows = ROWS[session.name];
  const number = session.dataOf === 'user' && !NEW_USERS ? exec.vu.idInTest - 1 : exec.scenario.iterationInTest;
  const known = users[session.name] !== undefined && !isOld(session);
  const values = { ...(known ? users[session.name].values : VALUES), ...rows[number % rows.length] };
  if (session.once > 0 && !known && !makeOnce(session, values)) return false;
  for (const step of session.steps.slice(session.once)) {
    if (step.ifCaptured !== null && values[step.ifCaptured] === undefined) continue;
    if (step.needs.some((name) => values[name] === undefined)) return false;
    if (isOld(session) && !makeOnce(session, values)) return false;
    let ended = send(step, values, session.againOn);
    if (ended === 'again') ended = makeOnce(session, values) ? send(step, values, []) : 'failed';
    if (ended === 'failed' && !session.goesOn) return false;
    think(step.think);
  }
  return true;
}

export default function () {
  const drawn = Math.random() * WEIGHTS[WEIGHTS.length - 1];
  const unit = UNITS[WEIGHTS.findIndex((sum) => drawn < sum)];
  if (unit.steps !== undefined) {
    if (!visit(unit)) sleep(0.01);
    return;
  }
  send(unit, VALUES, []);
  pause();
}

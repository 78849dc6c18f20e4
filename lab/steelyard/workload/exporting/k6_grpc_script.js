// Made by `steelyard export` of @SERVICE@: @LOAD@.
// Run it with: k6 run @FILE@
// What it cannot say as Steelyard does is named by `steelyard export`.
import { check, sleep } from 'k6';
import crypto from 'k6/crypto';
import { SharedArray } from 'k6/data';
import encoding from 'k6/encoding';
import exec from 'k6/execution';
import grpc from 'k6/net/grpc';

const TARGET = __ENV.TARGET || @ADDRESS@;
const PLAINTEXT = !TARGET.startsWith('https:');
const SECRETS = @SECRET_HEADERS@;
// Secret values of places.
const VALUES = @SECRET_VALUES@;
// One entry an operation: `weight` is its share of the requests, `fault` whether its status must tell of a failure.
const OPERATIONS = @OPERATION_LIST@;
const MESSAGES = {};
for (const { name } of OPERATIONS) {
  MESSAGES[name] = new SharedArray(name, () => JSON.parse(open('./@DATA@'))[name]);
}
const WEIGHTS = OPERATIONS.reduce((sums, operation) => [...sums, (sums[sums.length - 1] || 0) + operation.weight], []);
// Each user has a connection of its own, which it keeps.
const client = new grpc.Client();
client.loadProtoset('./@PROTOSET@');
let connected = false;

export const options = @OPTIONS@;

@FUNCTIONS@

function address() {
  const server = TARGET.replace(/^\w+:\/\//, '').replace(/\/.*$/, '');
  return /:\d+$/.test(server) ? server : server + (PLAINTEXT ? ':80' : ':443');
}

function isRight(answer, fault) {
  return fault === 'any' || (answer.status === grpc.StatusOK) === (fault === 'absent');
}

function pause() {
  @PAUSE@
}

export default function () {
  if (!connected) {
    client.connect(address(), { plaintext: PLAINTEXT, timeout: @TIMEOUT@ });
    connected = true;
  }
  const drawn = Math.random() * WEIGHTS[WEIGHTS.length - 1];
  const operation = OPERATIONS[WEIGHTS.findIndex((sum) => drawn < sum)];
  const messages = MESSAGES[operation.name];
  const metadata = {};
  for (const [name, value] of Object.entries({ ...operation.metadata, ...SECRETS })) {
    metadata[name] = operation.filled ? filled(value, VALUES) : value;
  }
  const answer = client.invoke(operation.method, messages[exec.scenario.iterationInTest % messages.length], {
    metadata,
    timeout: @TIMEOUT@,
    tags: { name: operation.name },
  });
  check(answer, { right: () => isRight(answer, operation.fault) }, { name: operation.name });
  pause();
}

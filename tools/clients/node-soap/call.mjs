// Asks an operation by the package soap, which binds when it is asked: call.mjs PACKAGES WSDL [ADDRESS OPERATION VALUES]; with WSDL alone
// it is only read. VALUES is a file of JSON: what the operation's element holds, by names. The answer is printed as JSON.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [packages, wsdl, address, operation, values] = process.argv.slice(2);
const soap = createRequire(`${packages}/package.json`)('soap');
const client = await soap.createClientAsync(wsdl, { endpoint: address });
if (address) {
  if (!client[`${operation}Async`]) throw new Error(`the description has no operation ${operation}`);
  const [answer] = await client[`${operation}Async`](JSON.parse(readFileSync(values, 'utf8')));
  console.log(JSON.stringify(answer));
}

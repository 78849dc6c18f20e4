// Asks an operation by the package strong-soap, which binds when it is asked: call.mjs PACKAGES WSDL [ADDRESS OPERATION VALUES]; with WSDL
// alone it is only read. VALUES is a file of JSON: what the operation's element holds, by names. The answer is printed as JSON.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [packages, wsdl, address, operation, values] = process.argv.slice(2);
const { soap } = createRequire(`${packages}/package.json`)('strong-soap');
const client = await new Promise((resolve, reject) => {
  soap.createClient(wsdl, {}, (error, made) => (error ? reject(error) : resolve(made)));
});
if (address) {
  if (!client[operation]) throw new Error(`the description has no operation ${operation}`);
  client.setEndpoint(address);
  const asked = JSON.parse(readFileSync(values, 'utf8'));
  const answer = await new Promise((resolve, reject) => {
    client[operation](asked, (error, result) => (error ? reject(error) : resolve(result)));
  });
  console.log(JSON.stringify(answer));
}

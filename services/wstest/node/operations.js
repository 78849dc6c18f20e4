// The operations, from a request's element as both SOAP libraries give it (texts not yet read) to the answer's.

import { purchaseOrder } from './order.js';
import { readBytes, readFloat, readInt, readString, writeFloat } from './values.js';

export const operations = {
  echoVoid: () => ({}),
  echoStruct: (request) => ({ return: many(request?.struct).map(struct) }),
  echoList: (request) => (request?.list ? { return: listItem(request.list) } : {}),
  echoSynthetic: (request) => ({
    return: {
      text: readString(request?.text),
      struct: struct(request?.struct),
      bytes: readBytes(request?.bytes).toString('base64'),
    },
  }),
  getOrder: (request) => ({ return: purchaseOrder(readInt(request?.orderId)) }),
};

/** The operations as the libraries want them: service, port, operation. */
export const services = { WSTest: { WSTestPort: operations } };

/** An element that may be repeated comes as undefined, as itself or as an array. */
function many(elements) {
  return elements === undefined || elements === null ? [] : [elements].flat();
}

function struct(given) {
  return {
    varInt: readInt(given?.varInt),
    varFloat: writeFloat(readFloat(given?.varFloat)),
    varString: readString(given?.varString),
  };
}

function listItem(given) {
  const item = { value: struct(given.value) };
  if (given.next) item.next = listItem(given.next);
  return item;
}

// WSTest on the package soap, in an Express application whose body parser decodes any charset and bounds the size.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import { listen } from 'soap';

import { services } from './operations.js';

const LARGEST_REQUEST = '8mb';

/** An HTTP server of the service at `path`: `arrived` sees each service request first and says whether it may go on, `count` tells how many. */
export async function serve({ wsdl, path, counter, arrived, count }) {
  const application = express();
  application.disable('x-powered-by');
  application.get(counter, async (_request, response) => {
    response.type('text/plain').send(String(await count()));
  });
  application.use(path, watched(arrived), express.text({ type: 'text/xml', limit: LARGEST_REQUEST }), decoded);
  await new Promise((resolve, reject) => {
    const server = listen(application, {
      path,
      services,
      xml: readFileSync(wsdl, 'utf8'),
      uri: wsdl,
      returnFault: true,
      suppressStack: true,
      enableChunkedEncoding: false,
      customDeserializer: { int: asText, float: asText, base64Binary: asText },
      callback: (error) => (error ? reject(error) : resolve()),
    });
    server.wsdl.options.preserveWhitespace = true; // as the library's client does; listen passes this option over
  });
  return createServer(application);
}

function watched(arrived) {
  return (request, response, next) => {
    if (arrived(request)) next();
    else response.sendStatus(400);
  };
}

/** The library takes a body that was read already, unless it is empty, and answers with the request's content type. */
function decoded(request, response, next) {
  if (typeof request.body !== 'string' || request.body === '') {
    response.status(400).type('text/plain').send('a SOAP 1.1 request is text/xml and not empty');
    return;
  }
  request.headers['content-type'] = 'text/xml; charset=utf-8';
  next();
}

/** A text may come in several pieces, of which the library would keep the last; operations.js reads the whole. */
function asText(piece, element) {
  element.whole = (element.whole ?? '') + piece;
  return element.whole;
}

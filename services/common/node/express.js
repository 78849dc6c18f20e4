// A service on the package soap, in an Express application whose body parser decodes any charset and bounds the size.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, posix } from 'node:path';
import express from 'express';
import { listen } from 'soap';

/**
 * An HTTP server of the service at `path`, a text or a regular expression: `services` are its methods by service, port and operation,
 * `deserializers` read texts by the names of their types, a request holds no more than `limit` (`8mb`), and `prepare` gets the
 * description as the library has read it.
 */
export async function serve({ wsdl, path, counter, services, deserializers, limit, prepare, arrived, count }) {
  const application = express();
  application.disable('x-powered-by');
  application.get(counter, async (_request, response) => {
    response.type('text/plain').send(String(await count()));
  });
  const description = readFileSync(wsdl, 'utf8');
  publish(application, { description, path, schemas: dirname(wsdl), folder: posix.dirname(counter) });
  application.use(path, watched(arrived), express.text({ type: 'text/xml', limit }), decoded);
  await new Promise((resolve, reject) => {
    const server = listen(application, {
      path,
      services,
      xml: description,
      uri: wsdl,
      returnFault: true,
      suppressStack: true,
      enableChunkedEncoding: false,
      customDeserializer: deserializers,
      callback: (error, ready) => {
        if (error) return reject(error);
        prepare?.(ready.wsdl);
        return resolve();
      },
    });
    server.wsdl.options.preserveWhitespace = true; // as the library's client does; listen passes this option over
  });
  return createServer(application);
}

const ADDRESS = /(?<=:address location="http:\/\/)[^/"]*/g;

/** The description at `?wsdl`, with the address it was asked at, and the schemas that it names where their names lead from there. */
function publish(application, { description, path, schemas, folder }) {
  application.get(path, (request, response, next) => {
    if (Object.hasOwn(request.query, 'wsdl')) response.type('text/xml').send(description.replace(ADDRESS, addressOf(request.socket)));
    else next();
  });
  const files = express.static(schemas, { index: false, redirect: false });
  application.use(folder, (request, response, next) => {
    if (request.path.endsWith('.xsd')) files(request, response, next);
    else next();
  });
}

function addressOf({ localAddress, localPort, localFamily }) {
  return localFamily === 'IPv6' ? `[${localAddress}]:${localPort}` : `${localAddress}:${localPort}`;
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

/** A deserializer: a text may come in several pieces, of which the library would keep the last; the service reads the whole. */
export function asText(piece, element) {
  element.whole = (element.whole ?? '') + piece;
  return element.whole;
}

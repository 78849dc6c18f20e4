// WSTest on the package strong-soap, on Node's own HTTP server as its README shows.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import strongSoap from 'strong-soap';

import { services } from '../node/operations.js';

const LARGEST_REQUEST = 8 << 20;
const UTF16 = /charset="?utf-16/i;

/** An HTTP server of the service at `path`: `arrived` sees each service request first and says whether it may go on, `count` tells how many. */
export async function serve({ wsdl, path, counter, arrived, count }) {
  const library = createServer((_request, response) => response.writeHead(404).end()); // gets what comes, never listens
  const ready = once(library, 'newListener');
  strongSoap.soap.listen(library, { path, services, xml: readFileSync(wsdl, 'utf8'), uri: wsdl, prettyResponse: false });
  await ready;
  return createServer(async (request, response) => {
    if (request.url === counter) {
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(String(await count()));
      return;
    }
    if (request.url === path && !arrived(request)) {
      response.writeHead(400).end();
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > LARGEST_REQUEST) {
      response.writeHead(413).end();
      return;
    }
    decode(request);
    library.emit('request', request, response);
  });
}

/** The library joins the pieces of a body as texts, and answers, always in UTF-8, with the request's content type. */
function decode(request) {
  request.setEncoding(UTF16.test(request.headers['content-type']) ? 'utf16le' : 'utf8');
  if (request.headers['content-type']) request.headers['content-type'] = 'text/xml; charset=utf-8';
}

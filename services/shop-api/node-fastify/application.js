// The Fastify application: its operations below /shop, what it refuses, and its counts.

import { isUtf8 } from 'node:buffer';

import Fastify from 'fastify';

import { isId, isListOfIds } from './ids.js';
import { itemRoutes } from './items.js';
import { orderRoutes } from './orders.js';
import { NOT_VALID, Refusal, notFound, notValid } from './refusal.js';
import * as schemas from './schemas.js';

const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The application on a pool of connections. `arrived` sees each request of an operation first and tells whether it may go on,
 * `accepted` is called for each order that was kept, and `counts` has a function for each path that tells a number.
 */
export function buildApplication({ database, arrived, accepted, counts }) {
  const application = Fastify({
    bodyLimit: MOST_BYTES,
    frameworkErrors: answerError,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        formats: { id: isId, ids: isListOfIds },
      },
    },
  });
  application.setErrorHandler(answerError);
  application.setNotFoundHandler(() => {
    throw notFound();
  });
  readUtf8Alone(application);
  for (const [path, count] of Object.entries(counts)) {
    application.get(path, async (_request, reply) => reply.type('text/plain').send(String(await count())));
  }
  application.register(
    async (operations) => {
      operations.addHook('onRequest', async (request) => {
        if (!arrived(request.raw)) throw notValid();
      });
      const echo = { schema: { body: schemas.message, response: { 200: schemas.message, '4xx': schemas.refused } } };
      operations.post('/echo', echo, async (request) => request.body);
      const constant = { schema: { response: { 200: schemas.greeting } } };
      operations.get('/static', constant, async () => ({ service: 'shop-api', greeting: 'hello' }));
      await itemRoutes(operations, { database });
      await orderRoutes(operations, { database, accepted });
    },
    { prefix: '/shop' },
  );
  return application;
}

/** Fastify's own parser replaces what is not UTF-8; here such a body is refused before that parser gets it. */
function readUtf8Alone(application) {
  const parse = application.getDefaultJsonParser('error', 'error');
  application.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body)) parse(request, body.toString(), done);
    else done(notValid());
  });
}

/** Answers with an error's own status where it is the client's; Fastify gives validation errors status 400. */
function answerError(error, _request, reply) {
  const status = error.statusCode ?? 500;
  if (status >= 500) console.error(`shop-api: ${error.message}`);
  const reason = error instanceof Refusal ? error.message : NOT_VALID;
  reply.code(status).send({ error: status >= 500 ? 'failed' : reason });
}

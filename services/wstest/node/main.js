// Serves WSTest by the package soap.

import { asText, serve } from '../../common/node/express.js';
import { run } from '../../common/node/workers.js';
import { services } from './operations.js';

await run((given) =>
  serve({
    ...given,
    path: '/wstest/WSTest',
    counter: '/wstest/count',
    services,
    deserializers: { int: asText, float: asText, base64Binary: asText },
    limit: '8mb',
  }),
);

// Serves the three use cases of the SOA knowledge kit by the package soap.

import { asText, serve } from '../../common/node/express.js';
import { run } from '../../common/node/workers.js';
import { services, tellNamespaces } from './documents.js';

await run((given) =>
  serve({
    ...given,
    path: /^\/soakit\/(?:TVDinner|SushiBoats|Buffet|Text)$/,
    counter: '/soakit/count',
    services,
    prepare: tellNamespaces,
    deserializers: { decimal: asText, Money: asText }, // which the library would make binary fractions of
    limit: '16mb',
  }),
);

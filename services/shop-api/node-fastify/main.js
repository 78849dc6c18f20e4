// Serves the shop's REST API with Fastify and node-postgres.

import { countAll, countOne } from '../../common/node/count.js';
import { run } from '../../common/node/workers.js';
import { buildApplication } from './application.js';
import { openDatabase } from './database.js';
import { shareOf } from './share.js';

const ACCEPTED = 'accepted';

await run(async ({ arrived, count, worker, workers }) => {
  try {
    const database = await openDatabase(shareOf(Number(process.env.STEELYARD_POOL ?? 16), worker, workers));
    const application = buildApplication({
      database,
      arrived,
      accepted: () => countOne(ACCEPTED),
      counts: { '/shop/count': count, '/shop/accepted': () => countAll(ACCEPTED) },
    });
    await application.ready();
    return application.server;
  } catch (error) {
    console.error(`shop-api: ${error.message}`);
    process.exit(1);
  }
});

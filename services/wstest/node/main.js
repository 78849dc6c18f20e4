// Serves WSTest on a loopback port with a fixed number of worker processes.

import cluster from 'node:cluster';
import { parseArgs } from 'node:util';

import { stayBusy } from './busy.js';
import { addUpWorkers, countAll, countOne, reportToPrimary } from './count.js';

const MINUTE = 60_000;

const { values: options } = parseArgs({
  options: {
    library: { type: 'string' },
    port: { type: 'string' },
    wsdl: { type: 'string' },
    workers: { type: 'string', default: '1' },
  },
});

if (cluster.isPrimary) {
  startWorkers(Number(options.workers));
} else {
  await work();
}

/** A worker that ends takes the service with it: a smaller service would be another one. */
function startWorkers(number) {
  addUpWorkers();
  for (let worker = 0; worker < number; worker++) cluster.fork();
  cluster.on('exit', (worker, code, signal) => {
    console.error(`worker ${worker.process.pid} ended with ${signal ?? code}`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
}

async function work() {
  reportToPrimary();
  const { serve } = await import(`./with-${options.library}.js`);
  const server = await serve({
    wsdl: options.wsdl,
    path: '/wstest/WSTest',
    counter: '/wstest/count',
    arrived: (request) => {
      countOne();
      return stayBusy(request);
    },
    count: countAll,
  });
  server.keepAliveTimeout = 15 * MINUTE;
  server.listen(Number(options.port), process.env.STEELYARD_HOST ?? '127.0.0.1');
}

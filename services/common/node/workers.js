// Serves on a loopback port with a fixed number of worker processes.

import cluster from 'node:cluster';
import { parseArgs } from 'node:util';

import { stayBusy } from './busy.js';
import { addUpWorkers, countAll, countOne, reportToPrimary } from './count.js';

const MINUTE = 60_000;

/**
 * Runs what the command line asks for: `serve` gets the WSDL's path, `arrived`, which sees each service request first and says whether it
 * may go on, `count`, which tells how many came, and the number of its `worker` among so many `workers`, the first 1; it gives an HTTP server.
 */
export async function run(serve) {
  const { values: options } = parseArgs({
    options: { port: { type: 'string' }, wsdl: { type: 'string' }, workers: { type: 'string', default: '1' } },
  });
  if (cluster.isPrimary) {
    startWorkers(Number(options.workers));
    return;
  }
  reportToPrimary();
  const arrived = (request) => {
    countOne();
    return stayBusy(request);
  };
  const place = { worker: cluster.worker.id, workers: Number(options.workers) };
  const server = await serve({ wsdl: options.wsdl, arrived, count: countAll, ...place });
  server.keepAliveTimeout = 15 * MINUTE;
  server.listen(Number(options.port), process.env.STEELYARD_HOST ?? '127.0.0.1');
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

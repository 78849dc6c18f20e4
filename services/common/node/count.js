// Counts over all workers, by their names: each worker counts its own, the primary adds them up when it is asked.

import cluster from 'node:cluster';

const REQUESTS = 'requests';
const counted = new Map();
const waiting = new Map();
let asked = 0;

export function countOne(name = REQUESTS) {
  counted.set(name, (counted.get(name) ?? 0) + 1);
}

/** In a worker: how many were counted in any worker since the start, of service requests by default. */
export function countAll(name = REQUESTS) {
  return new Promise((resolve) => {
    const question = ++asked;
    waiting.set(question, resolve);
    process.send({ kind: 'total?', question, name });
  });
}

/** In a worker: answer the primary's questions. */
export function reportToPrimary() {
  process.on('message', (message) => {
    if (message.kind === 'own?') process.send({ kind: 'own', round: message.round, counted: counted.get(message.name) ?? 0 });
    if (message.kind === 'total') {
      waiting.get(message.question)(message.total);
      waiting.delete(message.question);
    }
  });
}

/** In the primary: answer the workers' questions by asking all of them. */
export function addUpWorkers() {
  const rounds = new Map();
  let last = 0;
  cluster.on('message', (worker, message) => {
    if (message.kind === 'total?') {
      const workers = Object.values(cluster.workers);
      rounds.set(++last, { worker, question: message.question, missing: workers.length, total: 0 });
      for (const each of workers) each.send({ kind: 'own?', round: last, name: message.name });
    }
    if (message.kind === 'own') {
      const round = rounds.get(message.round);
      round.total += message.counted;
      if (--round.missing > 0) return;
      rounds.delete(message.round);
      round.worker.send({ kind: 'total', question: round.question, total: round.total });
    }
  });
}

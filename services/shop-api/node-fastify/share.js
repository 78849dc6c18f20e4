/** How many of all connections the worker number `worker` of `workers` opens; the first has number 1. */
export function shareOf(connections, worker, workers) {
  if (connections < workers) {
    throw new Error(
      `the factor pool is ${connections}, but each of ${workers} workers needs a connection; lower the factor workers`,
    );
  }
  return Math.floor(connections / workers) + (worker <= connections % workers ? 1 : 0);
}

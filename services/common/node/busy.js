const MOST_MICROS = 1_000_000; // a header costs its sender nothing, so it must not cost the server much more

/**
 * Spins for so many microseconds of processor time, where the header Steelyard-Busy-Us asks for it; false, at once, where
 * it asks for more than a second or for what is no time.
 */
export function stayBusy(request) {
  const micros = Number(request.headers['steelyard-busy-us'] ?? 0);
  if (!(micros >= 0 && micros <= MOST_MICROS)) return false;
  const begun = process.cpuUsage();
  for (;;) {
    const used = process.cpuUsage(begun);
    if (used.user + used.system >= micros) return true;
  }
}

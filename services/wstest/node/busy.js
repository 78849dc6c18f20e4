/** Spins for so many microseconds of processor time, where the header Steelyard-Busy-Us asks for it. */
export function stayBusy(request) {
  const micros = Number(request.headers['steelyard-busy-us'] ?? 0);
  if (!(micros > 0)) return;
  const begun = process.cpuUsage();
  for (;;) {
    const used = process.cpuUsage(begun);
    if (used.user + used.system >= micros) return;
  }
}

package steelyard.monitor;

/**
 * The time that one request spends in one layer, in nanoseconds. Its thread's next request begins
 * it anew.
 */
final class Stay {

  final Tag tag;
  int entries;
  int open; // entries that were not left yet
  long enteredAt; // the outermost entry of those open
  long firstAt;
  long total;
  long self; // without the layers inside

  Stay(Tag tag) {
    this.tag = tag;
  }

  void end() {
    entries = 0;
    open = 0;
    total = 0;
    self = 0;
  }
}

package steelyard.rmi;

/** The measured time of a slice, whose end may come earlier than was planned. */
final class Window {

  private volatile long begin;
  private volatile long end;

  /** It begins at an instant and lasts so long; asked of by nobody before. */
  void open(long at, long lengthNs) {
    begin = at;
    end = at + lengthNs;
  }

  long begin() {
    return begin;
  }

  long end() {
    return end;
  }

  boolean measures(long instant) {
    return instant >= begin && instant < end;
  }

  /** It ends at an instant, if it would end later. */
  void endAt(long instant) {
    end = Math.min(end, Math.max(instant, begin + 1));
  }
}

package steelyard.rmi;

/** What is counted of one kind of request, within the measured time unless it says otherwise. */
final class Counts {

  long started;
  long completed;
  long wrong;
  final long[] failures = new long[Failure.values().length];
  long bytesOut;
  long bytesIn;
  long responseNs;
  long serviceNs;
  long lateStarts;

  /** Requests taken up, in the measured time or not. */
  long sent;

  long dropped;
  long outsideCompleted;
  long outsideWrong;
  final long[] outsideFailures = new long[Failure.values().length];

  /** Adds each count, {@code times} times: once, or less once. */
  void add(Counts other, int times) {
    started += times * other.started;
    completed += times * other.completed;
    wrong += times * other.wrong;
    bytesOut += times * other.bytesOut;
    bytesIn += times * other.bytesIn;
    responseNs += times * other.responseNs;
    serviceNs += times * other.serviceNs;
    lateStarts += times * other.lateStarts;
    sent += times * other.sent;
    dropped += times * other.dropped;
    outsideCompleted += times * other.outsideCompleted;
    outsideWrong += times * other.outsideWrong;
    for (int i = 0; i < failures.length; i++) {
      failures[i] += times * other.failures[i];
      outsideFailures[i] += times * other.outsideFailures[i];
    }
  }

  /** Requests that failed within the measured time. */
  long failed() {
    return java.util.Arrays.stream(failures).sum();
  }

  /** The failures of a kind of place, as cells of a table. */
  static String cells(long[] failures) {
    var cells = new StringBuilder();
    for (long count : failures) {
      cells.append(cells.isEmpty() ? "" : ",").append(count);
    }
    return cells.toString();
  }
}

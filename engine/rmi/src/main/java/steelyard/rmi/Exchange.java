package steelyard.rmi;

/**
 * The instants of one request (CLOCK_MONOTONIC, ns), and how it ended.
 *
 * @param sent when its call began: from then on arguments are marshalled and sent
 * @param firstByte the answer's; 0 where none came
 * @param failure null where an answer came
 * @param right whether that was right
 */
record Exchange(
    Entry entry,
    long due,
    long sent,
    long firstByte,
    long last,
    Failure failure,
    boolean right,
    Object answer) {

  /** As samples call it. */
  String outcome() {
    return failure != null ? failure.column() : right ? "right" : "wrong";
  }
}

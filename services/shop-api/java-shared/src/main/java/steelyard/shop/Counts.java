package steelyard.shop;

import java.util.concurrent.atomic.LongAdder;

/** What was asked and accepted since the start. */
public final class Counts {

  public static final String REQUESTS_PATH = "/shop/count";
  public static final String ACCEPTED_PATH = "/shop/accepted";

  private final LongAdder requests = new LongAdder();
  private final LongAdder accepted = new LongAdder();

  /** Whether requests at a path are counted: those that ask for a count are not. */
  public static boolean counts(String path) {
    return path.startsWith("/shop/") && !path.equals(REQUESTS_PATH) && !path.equals(ACCEPTED_PATH);
  }

  public void addRequest() {
    requests.increment();
  }

  /** Counts an order that is committed, before its answer is sent. */
  public void addAccepted() {
    accepted.increment();
  }

  public long requests() {
    return requests.sum();
  }

  public long accepted() {
    return accepted.sum();
  }
}

package steelyard.monitor;

import java.util.concurrent.CountDownLatch;

/**
 * A process that serves until it is ended: {@code ServingProcess REQUESTS}; one of its requests
 * changes thread.
 */
final class ServingProcess {

  private ServingProcess() {}

  public static void main(String[] arguments) throws InterruptedException {
    int requests = Integer.parseInt(arguments[0]);
    Monitor.enter("filter");
    Thread other = new Thread(() -> Monitor.exit("filter"));
    other.start();
    other.join();
    for (int i = 0; i < requests; i++) {
      Monitor.enter("filter");
      Monitor.context("filter", "number", Integer.toString(i));
      Monitor.exit("filter");
    }
    System.out.println("served");
    new CountDownLatch(1).await();
  }
}

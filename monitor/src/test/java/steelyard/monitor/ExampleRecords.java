package steelyard.monitor;

/**
 * Writes the record files that the lab's tests read: fifty requests of two threads, half of them
 * searches, and one that changes thread. {@code STEELYARD_RECORDS} names the folder.
 */
final class ExampleRecords {

  private ExampleRecords() {}

  public static void main(String[] arguments) throws InterruptedException {
    Monitor.enter(Layers.FILTER);
    Thread other = new Thread(() -> Monitor.exit(Layers.FILTER));
    other.start();
    other.join();
    for (int thread = 0; thread < 2; thread++) {
      Thread serving = new Thread(ExampleRecords::serve, "serving-" + thread);
      serving.start();
      serving.join();
    }
    Monitor.enter(Layers.FILTER); // this thread's own request is over, since another one left it
  }

  private static void serve() {
    for (int i = 0; i < 25; i++) {
      Monitor.enter(Layers.FILTER);
      Monitor.enter(Layers.SOAP);
      Monitor.context(Layers.SOAP, "name", i % 2 == 0 ? "search" : "reserve");
      for (int k = 0; k < 2; k++) {
        Monitor.enter(Layers.SI);
        Monitor.enter(Layers.HIBERNATE);
        Monitor.enter(Layers.READS);
        Monitor.exit(Layers.READS);
        if (i % 2 == 1) {
          Monitor.enter(Layers.WRITES);
          Monitor.exit(Layers.WRITES);
        }
        Monitor.exit(Layers.HIBERNATE);
        Monitor.exit(Layers.SI);
      }
      Monitor.exit(Layers.SOAP);
      Monitor.exit(Layers.FILTER);
    }
  }
}

package steelyard.petstore.events;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.messaging.Destination;

/**
 * How many messages stand at each destination, written once a second by a thread of its own: a line
 * each with its name, the number and the instant on the machine's monotonic clock in ns. To a file
 * where one is named, else nothing is looked at.
 *
 * <p>`queue_mails` and the others are named after the destinations, a topic having those of all its
 * subscribers; `queue_longest` is the longest of all but the mails, at that instant.
 */
public final class QueueLengths implements Closeable {

  private static final Logger LOG = Logger.getLogger(QueueLengths.class.getName());
  private static final long PERIOD_MILLIS = 1_000;

  private final ToLongFunction<Destination> lengthOf;
  private final BufferedWriter file;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread sampler = new Thread(this::sample, "queue lengths");

  private boolean silent;

  private QueueLengths(BufferedWriter file, ToLongFunction<Destination> lengthOf) {
    this.file = file;
    this.lengthOf = lengthOf;
  }

  /**
   * To the end of the file of this name; null or empty: nowhere. `lengthOf` is asked by another
   * thread, which passes over a second in which it raises something.
   */
  public static Closeable to(String name, ToLongFunction<Destination> lengthOf) {
    if (name == null || name.isEmpty()) {
      return () -> {};
    }
    try {
      BufferedWriter file = RecordFile.open(Path.of(name), "name,value,time_ns");
      QueueLengths lengths = new QueueLengths(file, lengthOf);
      lengths.sampler.setDaemon(true);
      lengths.sampler.start();
      return lengths;
    } catch (IOException unwritable) {
      throw new UncheckedIOException("the lengths of queues cannot be written", unwritable);
    }
  }

  private void sample() {
    try {
      while (!over.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
        write(System.nanoTime(), lengths());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (IOException full) {
      LOG.log(Level.WARNING, "queues are looked at no more: {0}", full.toString());
    }
  }

  private void write(long instant, Map<String, Long> lengths) throws IOException {
    for (Map.Entry<String, Long> length : lengths.entrySet()) {
      file.write(length.getKey() + ',' + length.getValue() + ',' + instant + '\n');
    }
    file.flush();
  }

  /** Empty where the broker does not tell, as while it starts; the first time is logged. */
  private Map<String, Long> lengths() {
    Map<String, Long> lengths = new TreeMap<>();
    long longest = 0;
    for (Destination destination : Destination.values()) {
      long length;
      try {
        length = lengthOf.applyAsLong(destination);
      } catch (RuntimeException unknown) {
        if (!silent) {
          LOG.log(Level.INFO, "the length of a queue is not known (yet): {0}", unknown.toString());
        }
        silent = true;
        return Map.of();
      }
      lengths.put("queue_" + destination.name().toLowerCase(Locale.ROOT), length);
      if (destination != Destination.MAILS && destination != Destination.REFUSED) {
        longest = Math.max(longest, length);
      }
    }
    lengths.put("queue_longest", longest);
    return lengths;
  }

  @Override
  public void close() throws IOException {
    over.countDown();
    try {
      sampler.join();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    file.close();
  }
}

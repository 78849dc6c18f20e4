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
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.messaging.Destination;

/**
 * How many messages stand at each destination, and what else is counted, written once a second by a
 * thread of its own: a line each with its name, the number and the instant on the machine's
 * monotonic clock in ns. To a file where one is named, else nothing is looked at.
 *
 * <p>`queue_mails` and the others are named after the destinations, a topic having those of all its
 * subscribers; `queue_longest` is the longest of all but the mails, at that instant.
 */
public final class QueueLengths implements Closeable {

  private static final Logger LOG = Logger.getLogger(QueueLengths.class.getName());
  private static final long PERIOD_MILLIS = 1_000;

  private final ToLongFunction<Destination> lengthOf;
  private final Supplier<Map<String, Long>> others;
  private final BufferedWriter file;
  private final CountDownLatch over = new CountDownLatch(1);
  private final Thread sampler = new Thread(this::sample, "queue lengths");

  private boolean silent;

  private QueueLengths(
      BufferedWriter file,
      ToLongFunction<Destination> lengthOf,
      Supplier<Map<String, Long>> others) {
    this.file = file;
    this.lengthOf = lengthOf;
    this.others = others;
  }

  /**
   * To the end of the file of this name; null or empty: nowhere. `lengthOf` and `others`, which
   * gives numbers by their names, are asked by another thread, which passes over a second in which
   * one raises something.
   */
  public static Closeable to(
      String name, ToLongFunction<Destination> lengthOf, Supplier<Map<String, Long>> others) {
    if (name == null || name.isEmpty()) {
      return () -> {};
    }
    try {
      BufferedWriter file = RecordFile.open(Path.of(name), "name,value,time_ns");
      QueueLengths lengths = new QueueLengths(file, lengthOf, others);
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
        write(System.nanoTime(), seen());
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (IOException full) {
      LOG.log(Level.WARNING, "queues are looked at no more: {0}", full.toString());
    }
  }

  private void write(long instant, Map<String, Long> seen) throws IOException {
    for (Map.Entry<String, Long> number : seen.entrySet()) {
      file.write(number.getKey() + ',' + number.getValue() + ',' + instant + '\n');
    }
    file.flush();
  }

  /** Empty where something is not told, as while the broker starts; the first time is logged. */
  private Map<String, Long> seen() {
    try {
      Map<String, Long> seen = lengths();
      seen.putAll(others.get());
      return seen;
    } catch (RuntimeException unknown) {
      if (!silent) {
        LOG.log(Level.INFO, "the length of a queue is not known (yet): {0}", unknown.toString());
      }
      silent = true;
      return Map.of();
    }
  }

  private Map<String, Long> lengths() {
    Map<String, Long> lengths = new TreeMap<>();
    long longest = 0;
    for (Destination destination : Destination.values()) {
      long length = lengthOf.applyAsLong(destination);
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

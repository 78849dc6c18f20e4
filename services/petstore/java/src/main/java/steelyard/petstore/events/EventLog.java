package steelyard.petstore.events;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * Measuring points: a line for each event with its name, the order's id and the instant on the
 * machine's monotonic clock in ns. Written to a file where one is named, else nowhere. A line is in
 * the file when `record` returns, so that one who was told of an order is known also where this
 * process is killed. Thread-safe.
 */
public final class EventLog implements Closeable {

  public static final String ORDER_RECEIVED = "order_received";
  public static final String SUPPLIER_CALL_BEGUN = "supplier_call_begun";
  public static final String SUPPLIER_CALL_ENDED = "supplier_call_ended";
  public static final String SUPPLIER_BEGUN = "supplier_begun";
  public static final String COMPLETED_MAIL_SENT = "completed_mail_sent";

  private BufferedWriter file;

  private EventLog(BufferedWriter file) {
    this.file = file;
  }

  /** To the end of the file of this name; null or empty: nowhere. */
  public static EventLog to(String name) {
    if (name == null || name.isEmpty()) {
      return new EventLog(null);
    }
    try {
      return new EventLog(RecordFile.open(Path.of(name), "name,id,time_ns"));
    } catch (IOException unwritable) {
      throw new UncheckedIOException("the measuring points cannot be written", unwritable);
    }
  }

  /** That it happened now. */
  public void record(String name, String id) {
    record(name, id, System.nanoTime()); // CLOCK_MONOTONIC, which all of a machine share
  }

  /** That it happened at an instant of System.nanoTime(). */
  public void record(String name, String id, long instant) {
    synchronized (this) {
      if (file == null) {
        return;
      }
      try {
        file.write(name + ',' + id + ',' + instant + '\n');
        file.flush();
      } catch (IOException full) {
        throw new UncheckedIOException("a measuring point cannot be written", full);
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (file != null) {
      file.close();
      file = null; // what comes after the end is recorded nowhere
    }
  }
}

package steelyard.petstore.outbox;

import java.util.EnumMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.Transactions;

/** Sends what was written into the outbox, destination by destination, once that is committed. */
public final class Relay implements AutoCloseable {

  /**
   * Sends a document; returns when it was taken, and raises a RuntimeException where it was not.
   */
  public interface Sending {
    void send(String id, String document);
  }

  private static final Logger LOG = Logger.getLogger(Relay.class.getName());
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long PAUSE_MILLIS = 500;

  private final Outbox outbox;
  private final Transactions transactions;
  private final Map<Destination, Lane> lanes = new EnumMap<>(Destination.class);

  /** Begins to send at once: `ways` says how, for each destination that the outbox takes. */
  public Relay(Outbox outbox, Transactions transactions, Map<Destination, Sending> ways) {
    this.outbox = outbox;
    this.transactions = transactions;
    ways.forEach((destination, way) -> lanes.put(destination, new Lane(destination, outbox, way)));
  }

  /**
   * As `committed`, and where the work fails once more after a pause, for a minute: a broker would
   * give its message up sooner.
   */
  public void committedAtLast(Runnable work) {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      try {
        committed(work);
        return;
      } catch (RuntimeException undone) {
        if (System.nanoTime() > until) {
          throw undone;
        }
        LOG.log(Level.INFO, "a step is done again: {0}", undone.toString());
        pause(undone);
      }
    }
  }

  private static void pause(RuntimeException undone) {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw undone;
    }
  }

  /** Runs work in a transaction of the database alone, after which what it wrote is sent. */
  public void committed(Runnable work) {
    outbox.written(); // what an undone transaction of this thread wrote is nothing
    transactions.ofDatabase(work);
    for (Destination destination : outbox.written()) {
      Lane lane = lanes.get(destination);
      if (lane != null) { // another server's relay looks by itself
        lane.wake();
      }
    }
  }

  @Override
  public void close() {
    lanes.values().forEach(Lane::close);
  }
}

package steelyard.petstore.outbox;

import java.sql.SQLException;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.messaging.Destination;

/**
 * Sends what waits in the outbox for one destination, some of it at a time, until each was taken.
 * One thread looks what there is: when it is woken, and now and then.
 */
final class Lane implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(Lane.class.getName());
  private static final int SENDERS = 8; // as many as there are receivers of a queue
  private static final int MOST = 4 * SENDERS; // looked at together
  private static final long LOOK_MILLIS = 250; // where nobody wakes it
  private static final long AGAIN_MILLIS = 500; // after one was not taken

  private final Destination destination;
  private final Outbox outbox;
  private final Relay.Sending sending;
  private final Semaphore woken = new Semaphore(0);
  private final Semaphore free = new Semaphore(SENDERS);
  private final Set<String> underWay = new HashSet<>(); // of the looking thread alone
  private final Queue<String> ended = new ConcurrentLinkedQueue<>();
  private final ExecutorService senders;
  private final Thread looking;
  private volatile boolean over;

  Lane(Destination destination, Outbox outbox, Relay.Sending sending) {
    this.destination = destination;
    this.outbox = outbox;
    this.sending = sending;
    String name = "relay to " + destination.address();
    senders = Executors.newFixedThreadPool(SENDERS, work -> daemon(work, name));
    looking = daemon(this::look, name + ", looking");
    looking.start();
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  void wake() {
    woken.release();
  }

  private void look() {
    try {
      while (!over) {
        if (!sendAll()) {
          woken.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS);
          woken.drainPermits();
        }
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  /** Hands what is due to the senders; whether there may be more. */
  private boolean sendAll() throws InterruptedException {
    // What has ended by now is no row any more, or not due, when the rows are read after this.
    for (String id = ended.poll(); id != null; id = ended.poll()) {
      underWay.remove(id);
    }
    boolean sent = false;
    try {
      for (Outbox.Waiting waiting : outbox.due(destination, MOST)) {
        if (underWay.add(waiting.id())) {
          free.acquire();
          senders.execute(() -> send(waiting));
          sent = true;
        }
      }
    } catch (SQLException away) {
      LOG.log(Level.FINE, "the outbox cannot be read: {0}", away.getMessage());
      return false;
    }
    return sent;
  }

  private void send(Outbox.Waiting waiting) {
    try {
      sending.send(waiting.id(), waiting.document());
      outbox.remove(waiting.id());
    } catch (SQLException | RuntimeException refused) {
      LOG.log(Level.INFO, "a message is sent again later: {0}", refused.toString());
      postpone(waiting.id());
    } finally {
      ended.add(waiting.id());
      free.release();
    }
  }

  private void postpone(String id) {
    try {
      outbox.postpone(id, AGAIN_MILLIS);
    } catch (SQLException away) {
      LOG.log(Level.FINE, "a message stays due: {0}", away.getMessage());
    }
  }

  /** What is not taken by now waits for the next start. */
  @Override
  public void close() {
    over = true;
    looking.interrupt();
    senders.shutdownNow();
  }
}

package steelyard.petstore.jakartaee;

import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.messaging.Transactions;

/**
 * The server's transactions where they span the web services that a step calls.
 *
 * <p>Their end sends messages, for which XTS looks for classes by the class loader of the thread. A
 * message's transaction ends after its receiver, in a thread that has the broker's: there it finds
 * none, and says so nowhere but tries again every five seconds. So a transaction brings this
 * application's class loader to its end.
 */
final class SpanningTransactions implements Transactions {

  private static final Logger LOG = Logger.getLogger(SpanningTransactions.class.getName());

  private final Transactions container;
  private final TransactionManager manager;
  private final CoordinationMessages messages = new CoordinationMessages();
  private final InDoubt inDoubt = new InDoubt(Path.of(System.getProperty("jboss.server.data.dir")));
  private final AtomicLong endingNanos = new AtomicLong();

  SpanningTransactions(Transactions container, TransactionManager manager) {
    this.container = container;
    this.manager = manager;
  }

  /**
   * What `work` raises is not raised again but when the transaction ends: one that the container
   * undoes by itself asks nobody before, and would be undone without the class loader.
   */
  @Override
  public void ofStep(Runnable work) {
    container.ofStep(
        () -> {
          End end = new End();
          try {
            manager.getTransaction().registerSynchronization(end);
          } catch (RollbackException | SystemException ended) {
            throw new IllegalStateException("the transaction is at its end already", ended);
          }
          try {
            work.run();
          } catch (RuntimeException failure) {
            LOG.log(Level.INFO, "a step is undone: {0}", failure.getMessage());
            end.undo(failure);
          }
        });
  }

  @Override
  public void ofDatabase(Runnable work) {
    container.ofDatabase(work);
  }

  @Override
  public void failCommitOfStep() {
    container.failCommitOfStep();
  }

  /** Those of the messages, `commit_ms`: how long transactions took to end, and `in_doubt`. */
  @Override
  public Map<String, Long> gauges() {
    Map<String, Long> gauges = new TreeMap<>(messages.news());
    long millis = TimeUnit.NANOSECONDS.toMillis(endingNanos.get());
    endingNanos.addAndGet(-TimeUnit.MILLISECONDS.toNanos(millis)); // what is left is of the next
    gauges.put("commit_ms", millis);
    gauges.put("in_doubt", inDoubt.count());
    return gauges;
  }

  /**
   * The first of all that are told of a transaction's end, and the last that are told it is over.
   */
  private final class End implements Synchronization {

    private ClassLoader before;
    private long begun;
    private RuntimeException failure;

    void undo(RuntimeException raised) {
      failure = raised;
    }

    /** Raises what the step raised, so that all is undone. */
    @Override
    public void beforeCompletion() {
      Thread thread = Thread.currentThread();
      before = thread.getContextClassLoader();
      begun = System.nanoTime();
      thread.setContextClassLoader(SpanningTransactions.class.getClassLoader());
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void afterCompletion(int status) {
      if (before != null) {
        Thread.currentThread().setContextClassLoader(before);
        endingNanos.addAndGet(System.nanoTime() - begun);
      }
    }
  }
}

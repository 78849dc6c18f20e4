package steelyard.petstore.messaging;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.faults.PlantedFaults;

/**
 * A workflow as a receiver of messages calls it, inside the transaction that the receiver has begun
 * and will end. A failure is raised, so that all is undone and the message comes again.
 */
public final class Step {

  private static final Logger LOG = Logger.getLogger(Step.class.getName());

  private final Receiver receiver;
  private final Workflow workflow;
  private final DataSource database;
  private final Messenger refused;
  private final PlantedFaults faults;
  private final long commitDelayMillis;

  /**
   * `refused` takes what no step can read; `commitDelayMillis` is how long each transaction waits
   * before its end: a planted slow-down.
   */
  public Step(
      Receiver receiver,
      Workflow workflow,
      DataSource database,
      Messenger refused,
      PlantedFaults faults,
      long commitDelayMillis) {
    this.receiver = receiver;
    this.faults = faults;
    this.workflow = workflow;
    this.database = database;
    this.refused = refused;
    this.commitDelayMillis = commitDelayMillis;
  }

  /** Raises IllegalStateException where the step is to be undone and tried again. */
  public void receive(String document) {
    try (Connection connection = database.getConnection()) {
      workflow.handle(document, connection);
      faults.afterCall(receiver.name(), document);
      if (commitDelayMillis > 0) {
        Thread.sleep(commitDelayMillis);
      }
    } catch (BadDocumentException bad) {
      LOG.log(Level.WARNING, "a document was refused and set aside: {0}", bad.getMessage());
      refused.send(Destination.REFUSED, document);
    } catch (SQLException away) {
      throw new IllegalStateException("a step is undone: " + away.getMessage(), away);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a step is undone, since the server stops", stopped);
    }
  }
}

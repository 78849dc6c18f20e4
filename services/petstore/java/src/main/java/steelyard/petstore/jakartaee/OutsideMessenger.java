package steelyard.petstore.jakartaee;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.JmsMessenger;
import steelyard.petstore.messaging.MessagingException;
import steelyard.petstore.messaging.Messenger;

/**
 * Sends outside of all transactions, over one connection that is kept, since the factory that no
 * transaction knows pools none; each send has a session of its own, as sessions are for one thread.
 */
final class OutsideMessenger implements Messenger, AutoCloseable {

  private static final Logger LOG = Logger.getLogger(OutsideMessenger.class.getName());

  private final ConnectionFactory connections;
  private final Settings settings;
  private Connection kept;

  OutsideMessenger(ConnectionFactory connections, Settings settings) {
    this.connections = connections;
    this.settings = settings;
  }

  @Override
  public void send(Destination destination, String document) {
    try (Session session = session()) {
      JmsMessenger.send(session, destination, document);
    } catch (JMSException away) {
      close(); // the next send begins with a new connection
      throw new MessagingException("the broker did not take a message", away);
    }
  }

  /**
   * Of a new connection where the broker came back since the last send: nothing was sent by then.
   */
  private Session session() throws JMSException {
    try {
      return connection().createSession(false, Session.AUTO_ACKNOWLEDGE);
    } catch (JMSException gone) {
      close();
      return connection().createSession(false, Session.AUTO_ACKNOWLEDGE);
    }
  }

  private synchronized Connection connection() throws JMSException {
    if (kept == null) {
      kept =
          settings.brokerIsElsewhere()
              ? connections.createConnection(Settings.USER, settings.password())
              : connections.createConnection();
    }
    return kept;
  }

  @Override
  public synchronized void close() {
    if (kept == null) {
      return;
    }
    try {
      kept.close();
    } catch (JMSException gone) {
      LOG.log(Level.FINE, "a connection could not be closed: {0}", gone.getMessage());
    } finally {
      kept = null;
    }
  }
}

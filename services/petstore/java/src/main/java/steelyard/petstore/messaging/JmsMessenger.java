package steelyard.petstore.messaging;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Session;

/**
 * Sends by a session of its own for each message. From a factory that joins transactions (JTA) the
 * send is a part of the running one; from another it is done when `send` returns.
 */
public class JmsMessenger implements Messenger {

  private final ConnectionFactory connections;

  public JmsMessenger(ConnectionFactory connections) {
    this.connections = connections;
  }

  @Override
  public void send(Destination destination, String document) {
    try (Connection connection = connections.createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
      send(session, destination, document);
    } catch (JMSException away) {
      throw new MessagingException("the broker did not take a message", away);
    }
  }

  /** Sends over a session that somebody else opened; raises JMSException. */
  public static void send(Session session, Destination destination, String document)
      throws JMSException {
    var address =
        destination.isTopic()
            ? session.createTopic(destination.address())
            : session.createQueue(destination.address());
    try (var producer = session.createProducer(address)) {
      producer.send(session.createTextMessage(document));
    }
  }
}

package steelyard.petstore.springws;

import jakarta.jms.ConnectionFactory;
import org.springframework.jms.JmsException;
import org.springframework.jms.core.JmsTemplate;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.MessagingException;
import steelyard.petstore.messaging.Messenger;

/** Sends by the session of the message that is being received, so with its transaction. */
final class ListenerMessenger implements Messenger {

  private final JmsTemplate queues;
  private final JmsTemplate topics;

  /** `broker` is the listener containers' own: by it the session is found again. */
  ListenerMessenger(ConnectionFactory broker) {
    queues = new JmsTemplate(broker);
    queues.setSessionTransacted(true);
    topics = new JmsTemplate(broker);
    topics.setSessionTransacted(true);
    topics.setPubSubDomain(true);
  }

  @Override
  public void send(Destination destination, String document) {
    try {
      (destination.isTopic() ? topics : queues)
          .send(destination.address(), session -> session.createTextMessage(document));
    } catch (JmsException away) {
      throw new MessagingException("the broker did not take a message", away);
    }
  }
}

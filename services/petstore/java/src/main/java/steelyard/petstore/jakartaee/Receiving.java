package steelyard.petstore.jakartaee;

import jakarta.ejb.EJB;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.TextMessage;
import steelyard.petstore.messaging.Receiver;

/** What the message-driven beans share: a message begins the step of its receiver. */
abstract class Receiving implements MessageListener {

  private final Receiver receiver;

  @EJB private Application application;

  Receiving(Receiver receiver) {
    this.receiver = receiver;
  }

  /** In the transaction that the server begins; a failure is raised, so that it is undone. */
  @Override
  public void onMessage(Message message) {
    try {
      String document = message instanceof TextMessage said ? said.getText() : "";
      application.store().receive(receiver, document);
    } catch (JMSException unreadable) {
      throw new IllegalStateException("a message cannot be read", unreadable);
    }
  }
}

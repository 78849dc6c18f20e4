package steelyard.petstore.broker;

import org.apache.activemq.artemis.jms.client.ActiveMQJMSConnectionFactory;

/** Connections to the adapter's broker of which the server's transactions know nothing. */
public final class OutsideConnections extends ActiveMQJMSConnectionFactory {

  private static final long serialVersionUID = 1;

  public OutsideConnections() {
    super(Broker.ADDRESS);
  }
}

package steelyard.petstore.springws;

import java.util.function.ToLongFunction;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.Queue;
import steelyard.petstore.messaging.Destination;

/** The lengths of queues as the broker of this process tells them. */
final class EmbeddedQueues implements ToLongFunction<Destination> {

  private final ActiveMQServer broker;

  EmbeddedQueues(ActiveMQServer broker) {
    this.broker = broker;
  }

  /** Of a topic, of all its subscribers together; 0 where nothing was sent or received yet. */
  @Override
  public long applyAsLong(Destination destination) {
    try {
      return broker
          .getPostOffice()
          .listQueuesForAddress(SimpleString.of(destination.address()))
          .stream()
          .mapToLong(Queue::getMessageCount)
          .sum();
    } catch (Exception unknown) { // the broker's own signature says no more
      throw new IllegalStateException(destination + " has no length", unknown);
    }
  }
}

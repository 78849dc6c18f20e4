package steelyard.petstore.springws;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQJMSConnectionFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import steelyard.petstore.PetStore;
import steelyard.petstore.Settings;
import steelyard.petstore.broker.Broker;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.Receiver;

/**
 * Artemis within this process, its messages in a journal on the disk or in the database, and a
 * listener container for each receiver.
 */
@Configuration
public class MessagingConfiguration {

  private static final Logger LOG = Logger.getLogger(MessagingConfiguration.class.getName());
  private static final int RECEIVERS = 8; // of each destination at a time

  @Bean(destroyMethod = "stop")
  EmbeddedActiveMQ brokerServer(Settings settings)
      throws Exception { // as the broker's own signatures say
    Path folder = Path.of(System.getProperty("catalina.base", "."), "broker");
    EmbeddedActiveMQ server = Broker.in(folder, settings, false);
    try {
      server.start();
    } catch (Exception away) {
      LOG.log(
          Level.SEVERE, "the broker cannot start, so no orders are taken: {0}", away.toString());
    }
    return server;
  }

  @Bean
  ConnectionFactory broker(EmbeddedActiveMQ started) {
    return new ActiveMQJMSConnectionFactory(Broker.ADDRESS);
  }

  @Bean
  EmbeddedQueues queues(EmbeddedActiveMQ started) {
    return new EmbeddedQueues(started.getActiveMQServer());
  }

  @Bean
  Receivers receivers(
      PetStore store,
      Consumer<DefaultMessageListenerContainer> receiving,
      @Qualifier("broker") ConnectionFactory broker) {
    return new Receivers(store, receiving, broker);
  }

  /** Started when all else is there, and stopped before it goes. */
  static final class Receivers implements SmartInitializingSingleton, DisposableBean {

    private final List<DefaultMessageListenerContainer> containers = new ArrayList<>();
    private final ConnectionFactory broker;

    /** `receiving` tells a container where its messages come from, and in which transaction. */
    Receivers(
        PetStore store,
        Consumer<DefaultMessageListenerContainer> receiving,
        ConnectionFactory broker) {
      this.broker = broker;
      for (Receiver receiver : Receiver.values()) {
        DefaultMessageListenerContainer container = new DefaultMessageListenerContainer();
        container.setBeanName(receiver.name());
        receiving.accept(container);
        container.setConcurrentConsumers(RECEIVERS);
        Destination destination = receiver.destination();
        container.setDestinationName(destination.address());
        if (destination.isTopic()) {
          container.setPubSubDomain(true);
          container.setSubscriptionDurable(true);
          container.setSubscriptionShared(true);
          container.setSubscriptionName(receiver.name());
        }
        container.setMessageListener(
            (jakarta.jms.MessageListener) message -> store.receive(receiver, text(message)));
        containers.add(container);
      }
    }

    private static String text(jakarta.jms.Message message) {
      try {
        return message instanceof TextMessage said ? said.getText() : "";
      } catch (jakarta.jms.JMSException unreadable) {
        return "";
      }
    }

    /**
     * Makes the subscriptions to topics, before any receiver works. Containers subscribe in threads
     * of their own, some time after they are started: what is sent to a topic until then is lost.
     */
    private void subscribe() {
      try (JMSContext context = broker.createContext()) {
        for (Receiver receiver : Receiver.values()) {
          Destination destination = receiver.destination();
          if (destination.isTopic()) {
            Topic topic = context.createTopic(destination.address());
            context.createSharedDurableConsumer(topic, receiver.name()).close();
          }
        }
      } catch (JMSRuntimeException away) {
        LOG.log(Level.SEVERE, "a topic has no subscribers yet: {0}", away.toString());
      }
    }

    @Override
    public void afterSingletonsInstantiated() {
      subscribe();
      for (DefaultMessageListenerContainer container : containers) {
        container.afterPropertiesSet();
        container.start();
      }
    }

    /** Each waits up to a second for a message before it looks whether to stop: all at a time. */
    @Override
    public void destroy() {
      containers.forEach(DefaultMessageListenerContainer::stop);
      containers.forEach(DefaultMessageListenerContainer::shutdown);
    }
  }
}

package steelyard.petstore.springws;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.transaction.xa.XAResource;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQXAConnectionFactory;
import org.messaginghub.pooled.jms.JmsPoolSession;
import org.messaginghub.pooled.jms.JmsPoolXAConnectionFactory;
import org.messaginghub.pooled.jms.pool.PooledXAConnection;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.transaction.jta.JtaTransactionManager;
import steelyard.petstore.Settings;
import steelyard.petstore.broker.Broker;
import steelyard.petstore.messaging.Messenger;
import steelyard.petstore.messaging.Transactions;

/**
 * With a transaction manager within the application (Narayana): a step's message, its work in the
 * database and what it sends are one transaction, as on an application server.
 */
@Configuration
public class JtaConfiguration {

  private static final int BROKER_CONNECTIONS = 8;

  /** After the broker, which must be there for what is in doubt to be decided. */
  @Bean(destroyMethod = "close")
  Narayana narayana(EmbeddedActiveMQ started) {
    return new Narayana(Path.of(System.getProperty("catalina.base", "."), "transactions"));
  }

  @Bean
  JtaTransactionManager jta(Narayana narayana) {
    return new JtaTransactionManager(narayana.userTransaction(), narayana.manager());
  }

  /** Raises SQLException where the pool cannot be made; a database that is away is no reason. */
  @Bean(destroyMethod = "close")
  AgroalDataSource database(Settings settings, Narayana narayana) throws SQLException {
    return AgroalDataSource.from(
        new AgroalDataSourceConfigurationSupplier()
            .connectionPoolConfiguration(
                pool ->
                    pool.maxSize(StoreConfiguration.CONNECTIONS)
                        // Else those that died with the database are handed out for ever.
                        .connectionValidator(ConnectionValidator.defaultValidator())
                        .validateOnBorrow(true)
                        .acquisitionTimeout(
                            Duration.ofMillis(StoreConfiguration.CONNECTION_WAIT_MILLIS))
                        .transactionIntegration(
                            new NarayanaTransactionIntegration(
                                narayana.manager(),
                                narayana.synchronizations(),
                                Narayana.DATABASE,
                                false,
                                // First: who gets a message finds the work that it tells of.
                                true,
                                narayana.recovery()))
                        .connectionFactoryConfiguration(
                            connection ->
                                connection
                                    .connectionProviderClassName(settings.xaDataSource())
                                    .jdbcUrl(settings.jdbcUrl())
                                    .principal(new NamePrincipal(Settings.USER))
                                    .credential(new SimplePassword(settings.password())))));
  }

  /** Connections to the broker whose sessions take part in the running transaction. */
  @Bean(destroyMethod = "stop")
  JmsPoolXAConnectionFactory joining(Narayana narayana) {
    ActiveMQXAConnectionFactory broker = new ActiveMQXAConnectionFactory(Broker.ADDRESS);
    broker.setConsumerWindowSize(0); // a consumer takes one message, and goes with its transaction
    narayana.recoverMessagesOf(broker);
    JmsPoolXAConnectionFactory pool = new Joining();
    pool.setConnectionFactory(broker);
    pool.setTransactionManager(narayana.manager());
    pool.setMaxConnections(BROKER_CONNECTIONS);
    return pool;
  }

  @Bean
  Transactions transactions(
      JtaTransactionManager manager, Narayana narayana, EmbeddedActiveMQ broker) {
    return new JtaTransactions(manager, narayana, broker.getActiveMQServer());
  }

  @Bean
  SmartInitializingSingleton firstLook(
      Narayana narayana, AgroalDataSource database, JmsPoolXAConnectionFactory joining) {
    return narayana::look;
  }

  @Bean
  Messenger inTransaction(@Qualifier("joining") ConnectionFactory joining) {
    return new ListenerMessenger(joining);
  }

  @Bean
  Consumer<DefaultMessageListenerContainer> receiving(
      @Qualifier("joining") ConnectionFactory joining, JtaTransactionManager manager) {
    return container -> {
      container.setConnectionFactory(joining);
      container.setTransactionManager(manager);
    };
  }

  /** A pool whose sessions join under the broker's name. */
  private static final class Joining extends JmsPoolXAConnectionFactory {

    private static final long serialVersionUID = 1;

    @Override
    protected PooledXAConnection createPooledConnection(Connection connection) {
      return new PooledXAConnection(connection, getTransactionManager()) {
        @Override
        protected XAResource createXaResource(JmsPoolSession session) {
          return new NamedResource(Narayana.BROKER, session.getXAResource());
        }
      };
    }
  }
}

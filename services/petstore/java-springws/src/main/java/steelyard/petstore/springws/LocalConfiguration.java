package steelyard.petstore.springws;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.jms.ConnectionFactory;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.Messenger;
import steelyard.petstore.messaging.Transactions;

/**
 * Without a transaction manager: a step's database transaction ends just before its message's. A
 * crash between them brings the message again, and the steps do nothing twice.
 */
@Configuration
public class LocalConfiguration {

  @Bean
  HikariDataSource pool(Settings settings) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(settings.jdbcUrl());
    pool.setDriverClassName(settings.jdbcDriver());
    pool.setUsername(Settings.USER);
    pool.setPassword(settings.password());
    pool.setMaximumPoolSize(StoreConfiguration.CONNECTIONS);
    pool.setConnectionTimeout(StoreConfiguration.CONNECTION_WAIT_MILLIS);
    pool.setInitializationFailTimeout(-1); // a database that is away gives pages that say so
    return pool;
  }

  @Bean
  DataSource database(@Qualifier("pool") DataSource pool) {
    return new TransactionAwareDataSourceProxy(pool);
  }

  @Bean
  Transactions transactions(@Qualifier("pool") DataSource pool) {
    return new DatabaseTransactions(new DataSourceTransactionManager(pool));
  }

  @Bean
  Messenger inTransaction(@Qualifier("broker") ConnectionFactory broker) {
    return new ListenerMessenger(broker);
  }

  @Bean
  Consumer<DefaultMessageListenerContainer> receiving(
      @Qualifier("broker") ConnectionFactory broker) {
    return container -> {
      container.setConnectionFactory(broker);
      container.setSessionTransacted(true);
    };
  }
}

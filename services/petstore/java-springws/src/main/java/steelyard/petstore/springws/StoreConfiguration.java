package steelyard.petstore.springws;

import com.zaxxer.hikari.HikariDataSource;
import jakarta.jms.ConnectionFactory;
import jakarta.servlet.ServletContext;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.ws.transport.http.HttpUrlConnectionMessageSender;
import steelyard.petstore.PetStore;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.JmsMessenger;
import steelyard.petstore.web.StoreServlet;

/** The store, with what it needs of a platform: database, transactions, calls of partners. */
@Configuration
public class StoreConfiguration {

  private static final int CONNECTIONS = 40;

  @Bean
  Settings settings() {
    return Settings.of(System.getenv());
  }

  @Bean
  HikariDataSource pool(Settings settings) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(settings.jdbcUrl());
    pool.setDriverClassName(settings.jdbcDriver());
    pool.setUsername(Settings.USER);
    pool.setPassword(settings.password());
    pool.setMaximumPoolSize(CONNECTIONS);
    pool.setConnectionTimeout(5_000);
    pool.setInitializationFailTimeout(-1); // a database that is away gives pages that say so
    return pool;
  }

  @Bean
  DataSourceTransactionManager transactions(HikariDataSource pool) {
    return new DataSourceTransactionManager(pool);
  }

  @Bean
  WebServiceTemplate partnerTemplate() {
    WebServiceTemplate template = new WebServiceTemplate();
    template.setMessageSender(new HttpUrlConnectionMessageSender());
    return template;
  }

  @Bean
  PetStore petStore(
      Settings settings,
      HikariDataSource pool,
      DataSourceTransactionManager transactions,
      @Qualifier("broker") ConnectionFactory broker,
      WebServiceTemplate partners,
      EmbeddedQueues queues,
      ServletContext context) {
    DataSource database = new TransactionAwareDataSourceProxy(pool);
    PetStore store =
        new PetStore(
            settings,
            database,
            new DatabaseTransactions(transactions),
            new ListenerMessenger(broker),
            new JmsMessenger(new CachingConnectionFactory(broker)),
            new TemplatePartners(settings, partners),
            queues);
    try {
      store.prepare();
    } catch (SQLException away) {
      context.log("the database is away at the start: " + away.getMessage());
    }
    context.setAttribute(StoreServlet.STORE, store);
    return store;
  }
}

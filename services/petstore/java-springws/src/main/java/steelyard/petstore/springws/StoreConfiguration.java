package steelyard.petstore.springws;

import jakarta.jms.ConnectionFactory;
import jakarta.servlet.ServletContext;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.ws.transport.http.HttpUrlConnectionMessageSender;
import steelyard.petstore.PetStore;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.JmsMessenger;
import steelyard.petstore.messaging.Messenger;
import steelyard.petstore.messaging.Transactions;
import steelyard.petstore.web.StoreServlet;

/** The store, with what it needs of a platform beside transactions: the calls of partners. */
@Configuration
public class StoreConfiguration {

  static final int CONNECTIONS = 40;
  static final int CONNECTION_WAIT_MILLIS = 5_000;

  @Bean
  Settings settings() {
    return Settings.of(System.getenv());
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
      @Qualifier("database") DataSource database,
      Transactions transactions,
      Messenger inTransaction,
      @Qualifier("broker") ConnectionFactory broker,
      WebServiceTemplate partners,
      EmbeddedQueues queues,
      ServletContext context) {
    PetStore store =
        new PetStore(
            settings,
            database,
            transactions,
            inTransaction,
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

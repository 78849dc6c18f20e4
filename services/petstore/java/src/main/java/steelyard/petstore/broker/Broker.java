package steelyard.petstore.broker;

import java.nio.file.Path;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.config.storage.DatabaseStorageConfiguration;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import steelyard.petstore.Settings;

/** Artemis within the server's own process, for servers that bring no broker. */
public final class Broker {

  /** Where clients in the same process find it. */
  public static final String ADDRESS = "vm://0";

  private Broker() {}

  /**
   * One that was not started yet. Its messages are in a journal in `folder`, or in the database;
   * with `managed` the process's management knows its queues.
   */
  public static EmbeddedActiveMQ in(Path folder, Settings settings, boolean managed)
      throws Exception { // as the broker's own signatures say
    Configuration configuration =
        new ConfigurationImpl()
            .setPersistenceEnabled(true)
            .setSecurityEnabled(false)
            .setJMXManagementEnabled(managed)
            .setJournalType(JournalType.NIO)
            .setJournalDirectory(folder.resolve("journal").toString())
            .setBindingsDirectory(folder.resolve("bindings").toString())
            .setLargeMessagesDirectory(folder.resolve("large").toString())
            .setPagingDirectory(folder.resolve("paging").toString())
            .addAddressSetting("#", everLater())
            .addAcceptorConfiguration("in-vm", ADDRESS);
    if (settings.messagesInDatabase()) {
      configuration.setStoreConfiguration(databaseStore(settings));
    }
    EmbeddedActiveMQ server = new EmbeddedActiveMQ();
    server.setConfiguration(configuration);
    return server;
  }

  /**
   * A step whose database or mail server is away is tried again for a minute and a half. As shipped
   * all attempts come at once one after the other, so that a message is given up before what it
   * waits for is back. Queues stay: as shipped one goes where nobody listens and nothing is in it,
   * also while a message to it waits for what an unfinished transaction comes to.
   */
  private static AddressSettings everLater() {
    return new AddressSettings()
        .setRedeliveryDelay(10)
        .setRedeliveryMultiplier(2)
        .setMaxRedeliveryDelay(5000)
        .setMaxDeliveryAttempts(30)
        .setAutoDeleteQueues(false)
        .setAutoDeleteAddresses(false);
  }

  /** Tables of the broker's own beside the shop's, with its own connections. */
  private static DatabaseStorageConfiguration databaseStore(Settings settings) {
    DatabaseStorageConfiguration store = new DatabaseStorageConfiguration();
    store.setJdbcConnectionUrl(settings.jdbcUrl());
    store.setJdbcDriverClassName(settings.jdbcDriver());
    store.setJdbcUser(Settings.USER);
    store.setJdbcPassword(settings.password());
    return store;
  }
}

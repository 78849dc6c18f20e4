package steelyard.petstore.jakartaee;

import jakarta.transaction.TransactionManager;
import java.util.function.ToLongFunction;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.Transactions;

/** What is another matter on each server: its transaction manager, and what tells of queues. */
enum Container {
  WILDFLY {
    @Override
    TransactionManager transactionManager() {
      try {
        return InitialContext.doLookup("java:jboss/TransactionManager");
      } catch (NamingException absent) {
        throw new IllegalStateException("the server has no transaction manager", absent);
      }
    }

    @Override
    Transactions transactions(Transactions own, DataSource database, Settings settings) {
      return settings.variant() == Settings.Variant.WS_AT
          ? new SpanningTransactions(own, transactionManager())
          : new DoubtfulTransactions(own, ManagedQueues.WILDFLY, database, settings);
    }

    @Override
    ToLongFunction<Destination> lengths() {
      return ManagedQueues.ofWildFly();
    }
  },
  LIBERTY {
    @Override
    TransactionManager transactionManager() {
      try {
        Class<?> factory = Class.forName("com.ibm.tx.jta.TransactionManagerFactory");
        return (TransactionManager) factory.getMethod("getTransactionManager").invoke(null);
      } catch (ReflectiveOperationException absent) {
        throw new IllegalStateException("the server has no transaction manager", absent);
      }
    }

    @Override
    Transactions transactions(Transactions own, DataSource database, Settings settings) {
      return new DoubtfulTransactions(own, ManagedQueues.ARTEMIS, database, settings);
    }

    @Override
    ToLongFunction<Destination> lengths() {
      return ManagedQueues.ofArtemis();
    }
  };

  /** That in which this application runs. */
  static Container here() {
    return System.getProperty("jboss.home.dir") == null ? LIBERTY : WILDFLY;
  }

  abstract TransactionManager transactionManager();

  /** The server's own transactions, with what is told of them here. */
  abstract Transactions transactions(Transactions own, DataSource database, Settings settings);

  /** How many messages stand at a destination, as the server's management tells. */
  abstract ToLongFunction<Destination> lengths();
}

package steelyard.petstore.jakartaee;

import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.sql.DataSource;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.Transactions;

/**
 * The server's transactions, with a count of those in doubt. A server that decides them some time
 * after its start does not tell: until then what a killed process took and sent is in no queue.
 */
final class DoubtfulTransactions implements Transactions {

  private final MBeanServer management = ManagementFactory.getPlatformMBeanServer();
  private final Transactions container;
  private final String brokers;
  private final DataSource database;
  private final String prepared;

  /**
   * `brokers` is the name, or the pattern of names, by which the server's management knows its
   * broker.
   */
  DoubtfulTransactions(
      Transactions container, String brokers, DataSource database, Settings settings) {
    this.container = container;
    this.brokers = brokers;
    this.database = database;
    prepared =
        settings.database().equals("postgresql")
            ? "SELECT count(*) FROM pg_prepared_xacts"
            : "SELECT count(*) FROM information_schema.in_doubt";
  }

  @Override
  public void ofStep(Runnable work) {
    container.ofStep(work);
  }

  @Override
  public void ofDatabase(Runnable work) {
    container.ofDatabase(work);
  }

  @Override
  public void failCommitOfStep() {
    container.failCommitOfStep();
  }

  /** `in_doubt`: transactions that broker or database have prepared and not heard the end of. */
  @Override
  public Map<String, Long> gauges() {
    return Map.of("in_doubt", ofBroker() + ofDatabase());
  }

  private long ofBroker() {
    try {
      long count = 0;
      ObjectName named = new ObjectName(brokers);
      for (ObjectName broker :
          named.isPattern() ? management.queryNames(named, null) : Set.of(named)) {
        count +=
            ((String[]) management.invoke(broker, "listPreparedTransactions", null, null)).length;
      }
      return count;
    } catch (JMException unknown) {
      throw new IllegalStateException("the broker does not tell what is in doubt", unknown);
    }
  }

  private long ofDatabase() {
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement();
        ResultSet counted = statement.executeQuery(prepared)) {
      counted.next();
      return counted.getLong(1);
    } catch (SQLException away) {
      throw new IllegalStateException("the database does not tell what is in doubt", away);
    }
  }
}

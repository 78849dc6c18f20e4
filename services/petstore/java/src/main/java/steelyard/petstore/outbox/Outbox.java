package steelyard.petstore.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.MessagingException;
import steelyard.petstore.messaging.Messenger;

/**
 * What is to be sent, as rows of the database: written in the transaction of the work that sends
 * it, gone once it was taken. So it is sent if and only if that work was done, and perhaps again.
 */
public final class Outbox implements Messenger {

  private final DataSource database;
  private final ThreadLocal<Set<Destination>> written =
      ThreadLocal.withInitial(() -> EnumSet.noneOf(Destination.class));

  /** A document that waits, under the id that it is sent with however often. */
  record Waiting(String id, String document) {}

  /** `database` gives connections that take part in the running transaction. */
  public Outbox(DataSource database) {
    this.database = database;
  }

  @Override
  public void send(Destination destination, String document) {
    try (Connection connection = database.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO outbox VALUES (?, ?, ?, ?)")) {
      insert.setString(1, UUID.randomUUID().toString());
      insert.setString(2, destination.name());
      insert.setLong(3, System.currentTimeMillis());
      insert.setString(4, document);
      insert.executeUpdate();
    } catch (SQLException away) {
      throw new MessagingException("the outbox did not take a message", away);
    }
    written.get().add(destination);
  }

  /** Where this thread wrote to since it was asked last. */
  Set<Destination> written() {
    Set<Destination> since = EnumSet.copyOf(written.get());
    written.get().clear();
    return since;
  }

  /** At most `most` documents for a destination that are due now, those first that are longest. */
  List<Waiting> due(Destination destination, int most) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT id, document FROM outbox WHERE destination = ? AND due <= ?"
                    + " ORDER BY due LIMIT ?")) {
      select.setString(1, destination.name());
      select.setLong(2, System.currentTimeMillis());
      select.setInt(3, most);
      try (ResultSet rows = select.executeQuery()) {
        List<Waiting> found = new ArrayList<>();
        while (rows.next()) {
          found.add(new Waiting(rows.getString(1), rows.getString(2)));
        }
        return found;
      }
    }
  }

  /** One that was not taken is due again later, after all that are due before that. */
  void postpone(String id, long millis) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement update =
            connection.prepareStatement("UPDATE outbox SET due = ? WHERE id = ?")) {
      update.setLong(1, System.currentTimeMillis() + millis);
      update.setString(2, id);
      update.executeUpdate();
    }
  }

  /** One that was taken is sent no more. */
  void remove(String id) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement delete = connection.prepareStatement("DELETE FROM outbox WHERE id = ?")) {
      delete.setString(1, id);
      delete.executeUpdate();
    }
  }

  /** How many documents wait for a destination; raises IllegalStateException where it is away. */
  public long length(Destination destination) {
    try (Connection connection = database.getConnection();
        PreparedStatement count =
            connection.prepareStatement("SELECT count(*) FROM outbox WHERE destination = ?")) {
      count.setString(1, destination.name());
      try (ResultSet found = count.executeQuery()) {
        found.next();
        return found.getLong(1);
      }
    } catch (SQLException away) {
      throw new IllegalStateException("the outbox tells no length", away);
    }
  }
}

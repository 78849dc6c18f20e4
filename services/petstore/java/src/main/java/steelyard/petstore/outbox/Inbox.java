package steelyard.petstore.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The ids of all messages that were worked on, kept in the transaction of that work. */
final class Inbox {

  private final DataSource database;

  Inbox(DataSource database) {
    this.database = database;
  }

  /**
   * Whether the message is a new one, which is remembered then. Of two that come at the same time
   * one waits for the other's end, and raises IllegalStateException where that was a commit.
   */
  boolean remember(String id) {
    try (Connection connection = database.getConnection()) {
      if (knows(id, connection)) {
        return false;
      }
      try (PreparedStatement insert = connection.prepareStatement("INSERT INTO inbox VALUES (?)")) {
        insert.setString(1, id);
        insert.executeUpdate();
      }
      return true;
    } catch (SQLException away) {
      throw new IllegalStateException("the message is to come again: " + away.getMessage(), away);
    }
  }

  private static boolean knows(String id, Connection connection) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id FROM inbox WHERE id = ?")) {
      select.setString(1, id);
      try (ResultSet found = select.executeQuery()) {
        return found.next();
      }
    }
  }
}

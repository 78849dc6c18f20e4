package example.shop;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** What was ordered, in a database. */
public class Orders {

  static final String DATABASE = "jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1";

  /** Makes the table. */
  static void prepare() throws SQLException {
    try (Connection connection = DriverManager.getConnection(DATABASE);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE item (name VARCHAR(100))");
    }
  }

  /** Adds an order. */
  public void place(String item) throws SQLException {
    try (Connection connection = DriverManager.getConnection(DATABASE);
        PreparedStatement insert = connection.prepareStatement("INSERT INTO item VALUES (?)")) {
      insert.setString(1, item);
      insert.executeUpdate();
    }
  }

  /** How many there are, asked in the way in which mappers ask. */
  public int count() throws SQLException {
    try (Connection connection = DriverManager.getConnection(DATABASE);
        PreparedStatement asked = connection.prepareStatement("SELECT COUNT(*) FROM item")) {
      asked.execute();
      try (ResultSet rows = asked.getResultSet()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}

package steelyard.wstest;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The journal in the subject's database: a row a request, over a fixed number of connections. */
final class Journal implements AutoCloseable {

  private static final int CONNECTIONS = 8;

  private final List<Connection> connections = new ArrayList<>();
  private final BlockingQueue<PreparedStatement> idle = new ArrayBlockingQueue<>(CONNECTIONS);

  private Journal() {}

  /**
   * The journal that STEELYARD_JOURNAL asks for, connected; none unless it is jdbc. Throws where
   * the subject has no database, or not the table of contract/database.sql.
   */
  static Optional<Journal> of(Map<String, String> environment) throws SQLException {
    if (!environment.getOrDefault("STEELYARD_JOURNAL", "none").equals("jdbc")) {
      return Optional.empty();
    }
    String port = environment.get("STEELYARD_PORT_DATABASE");
    if (port == null) {
      throw new IllegalStateException(
          "journal is jdbc, but the subject has no process in the role of database");
    }
    String host = environment.getOrDefault("STEELYARD_HOST", "127.0.0.1");
    String url = "jdbc:postgresql://" + host + ":" + port + "/steelyard";
    var journal = new Journal();
    try {
      journal.connect(url, environment.get("STEELYARD_PASSWORD"));
    } catch (SQLException e) {
      journal.close();
      throw e;
    }
    return Optional.of(journal);
  }

  private void connect(String url, String password) throws SQLException {
    try {
      Class.forName("org.postgresql.Driver"); // a container's own class loader hides it otherwise
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(
          "journal is jdbc, but this server's folder of the service was laid out without its driver",
          e);
    }
    for (int i = 0; i < CONNECTIONS; i++) {
      Connection connection = DriverManager.getConnection(url, "steelyard", password);
      connections.add(connection);
      idle.add(connection.prepareStatement("INSERT INTO journal (bytes) VALUES (?)"));
    }
  }

  /** Adds a row, as soon as a connection is free. */
  void write(int bytes) throws SQLException, InterruptedException {
    PreparedStatement insert = idle.take();
    try {
      insert.setInt(1, bytes);
      insert.executeUpdate();
    } finally {
      idle.add(insert);
    }
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : connections) {
      connection.close();
    }
  }
}

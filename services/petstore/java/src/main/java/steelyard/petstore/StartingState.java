package steelyard.petstore;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** What the database holds at the beginning: made here where nobody has made it before. */
public final class StartingState {

  private StartingState() {}

  /** Runs `database.sql` of the class path on an empty database; raises SQLException. */
  public static void require(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      try (var tables =
          connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
        while (tables.next()) {
          if (tables.getString("TABLE_NAME").equalsIgnoreCase("supplier_order")) {
            return;
          }
        }
      }
      try (Statement statement = connection.createStatement()) {
        for (String command : script().split(";\\s*\\n")) {
          if (!command.isBlank()) {
            statement.execute(command);
          }
        }
      }
    }
  }

  private static String script() {
    try (InputStream file = StartingState.class.getResourceAsStream("/database.sql")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new IllegalStateException("database.sql cannot be read", unreadable);
    }
  }
}

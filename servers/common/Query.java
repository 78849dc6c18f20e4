import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.StringJoiner;

/**
 * Runs SQL on a database and prints the rows that come of it, columns parted by a blank: URL [STATEMENTS]. Without statements it reads
 * them from standard input, since a command line holds only so many. The user is steelyard, the password in STEELYARD_PASSWORD.
 */
class Query {

  public static void main(String[] arguments) throws SQLException, IOException {
    var statements =
        arguments.length > 1 ? arguments[1] : new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    try (var connection = DriverManager.getConnection(arguments[0], "steelyard", System.getenv("STEELYARD_PASSWORD"));
        var statement = connection.createStatement()) {
      for (boolean rows = statement.execute(statements);
          rows || statement.getUpdateCount() >= 0;
          rows = statement.getMoreResults()) {
        if (rows) {
          print(statement.getResultSet());
        }
      }
    }
  }

  private static void print(ResultSet rows) throws SQLException {
    while (rows.next()) {
      var line = new StringJoiner(" ");
      for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
        line.add(rows.getString(column));
      }
      System.out.println(line);
    }
  }
}

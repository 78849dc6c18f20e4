import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.StringJoiner;

/** Runs SQL on the database and prints the rows that come of it, columns parted by a blank: HOST PORT STATEMENTS. */
class Query {

  public static void main(String[] arguments) throws SQLException {
    var url = "jdbc:postgresql://" + arguments[0] + ":" + arguments[1] + "/steelyard";
    try (var connection = DriverManager.getConnection(url, "steelyard", System.getenv("STEELYARD_PASSWORD"));
        var statement = connection.createStatement()) {
      for (boolean rows = statement.execute(arguments[2]);
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

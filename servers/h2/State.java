import java.math.BigInteger;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.TreeSet;

/** Prints every table with the number of its rows and a checksum of them all, in whatever order they lie: URL. */
class State {

  private static final BigInteger MOST = BigInteger.ONE.shiftLeft(128);

  public static void main(String[] arguments) throws Exception {
    try (var connection = DriverManager.getConnection(arguments[0], "steelyard", System.getenv("STEELYARD_PASSWORD"))) {
      for (String table : tables(connection)) {
        System.out.println(table + " " + summary(connection, table));
      }
    }
  }

  private static TreeSet<String> tables(Connection connection) throws Exception {
    var names = new TreeSet<String>();
    try (ResultSet found = connection.getMetaData().getTables(null, "PUBLIC", "%", new String[] {"BASE TABLE"})) {
      while (found.next()) {
        names.add(found.getString("TABLE_NAME"));
      }
    }
    return names;
  }

  /** The sum of the rows' MD5s, so that no order needs to be made. */
  private static String summary(Connection connection, String table) throws Exception {
    var digest = MessageDigest.getInstance("MD5");
    var sum = BigInteger.ZERO;
    long count = 0;
    try (var statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM \"" + table.replace("\"", "\"\"") + "\"")) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        var row = new ArrayList<String>();
        for (int column = 1; column <= columns; column++) {
          row.add(rows.getString(column));
        }
        sum = sum.add(new BigInteger(1, digest.digest(row.toString().getBytes("UTF-8")))).mod(MOST);
        count++;
      }
    }
    return count + " " + sum.toString(16);
  }
}

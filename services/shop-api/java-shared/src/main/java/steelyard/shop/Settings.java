package steelyard.shop;

import java.util.Locale;
import java.util.Map;

/**
 * What the environment says of the database and of the address to listen on.
 *
 * @param host the address of the service and of its database
 * @param databasePort the port of the database
 * @param password the password of the database
 * @param pool connections to the database, all opened at the start
 * @param prepared whether statements are prepared on a connection and reused
 * @param isolation of transactions, by the words of the factor
 */
public record Settings(
    String host, int databasePort, String password, int pool, boolean prepared, String isolation) {

  public static final String DATABASE = "steelyard";
  public static final String USER = "steelyard";

  /** The settings of this process. */
  public static Settings fromEnvironment() {
    return from(System.getenv());
  }

  /**
   * The settings that variables hold.
   *
   * @throws IllegalArgumentException naming the variable that is missing or holds something else
   */
  public static Settings from(Map<String, String> variables) {
    return new Settings(
        variables.getOrDefault("STEELYARD_HOST", "127.0.0.1"),
        number(variables, "STEELYARD_PORT_DATABASE", null),
        variables.getOrDefault("STEELYARD_PASSWORD", ""),
        number(variables, "STEELYARD_POOL", "16"),
        !"off".equals(variables.get("STEELYARD_PREPARED")),
        variables.getOrDefault("STEELYARD_ISOLATION", "read-committed"));
  }

  /**
   * The address of the database for JDBC. The driver keeps a prepared statement on the server once
   * it ran five times, as shipped, or never (prepareThreshold=0).
   */
  public String jdbcUrl() {
    String address = "jdbc:postgresql://" + host + ":" + databasePort + "/" + DATABASE;
    return prepared ? address : address + "?prepareThreshold=0";
  }

  /** The isolation by the name of JDBC's constant. */
  public String jdbcIsolation() {
    return "TRANSACTION_" + isolation.replace('-', '_').toUpperCase(Locale.ROOT);
  }

  private static int number(Map<String, String> variables, String name, String otherwise) {
    String text = variables.getOrDefault(name, otherwise);
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException noNumber) {
      throw new IllegalArgumentException(
          text == null ? name + " is not set" : name + " is '" + text + "', not a whole number");
    }
  }
}

package steelyard.shop;

import java.util.Map;

/**
 * What the environment says of the database and of the address to listen on.
 *
 * @param host the address of the service and of its database
 * @param databasePort the port of the database
 * @param password the password of the database
 * @param pool connections to the database, all opened at the start
 * @param prepared whether statements are prepared on a connection and reused
 */
public record Settings(String host, int databasePort, String password, int pool, boolean prepared) {

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
        !"off".equals(variables.get("STEELYARD_PREPARED")));
  }

  /**
   * The address of the database for JDBC. The driver keeps a prepared statement on the server once
   * it ran five times, as shipped, or never (prepareThreshold=0).
   */
  public String jdbcUrl() {
    String address = "jdbc:postgresql://" + host + ":" + databasePort + "/" + DATABASE;
    return prepared ? address : address + "?prepareThreshold=0";
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

package steelyard.flight;

import java.util.List;
import java.util.Map;

/** What the server was started with: the factors of the service, and where the database is. */
record Settings(String url, String password, boolean root, String cache) {

  /** From STEELYARD_ variables; throws IllegalStateException where one makes no sense. */
  static Settings of(Map<String, String> environment) {
    String port = environment.get("STEELYARD_PORT_DATABASE");
    if (port == null) {
      throw new IllegalStateException("the subject has no process in the role of database");
    }
    String place = environment.getOrDefault("STEELYARD_HOST", "127.0.0.1") + ":" + port;
    String database = one(environment, "DATABASE", List.of("h2", "postgres"));
    return new Settings(
        database.equals("h2")
            ? "jdbc:h2:tcp://" + place + "/./steelyard"
            : "jdbc:postgresql://" + place + "/steelyard",
        environment.getOrDefault("STEELYARD_PASSWORD", ""),
        one(environment, "DOMAIN", List.of("root", "plain")).equals("root"),
        one(environment, "SECOND_LEVEL_CACHE", List.of("off", "read-only", "read-write")));
  }

  private static String one(Map<String, String> environment, String name, List<String> choices) {
    String value = environment.getOrDefault("STEELYARD_" + name, choices.get(0));
    if (!choices.contains(value)) {
      throw new IllegalStateException(
          "STEELYARD_" + name + " is '" + value + "', and may be " + String.join(", ", choices));
    }
    return value;
  }
}

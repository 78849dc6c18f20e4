package steelyard.flight;

import java.util.List;
import java.util.Map;
import steelyard.flight.logging.FunctionalLog;

/** What the server was started with: the factors of the service, and where the database is. */
record Settings(
    Database database,
    String url,
    String password,
    boolean root,
    String cache,
    String logLevel,
    String gauges,
    boolean lazyIsTheServices) {

  /** Without a log. */
  Settings(Database database, String url, String password, boolean root, String cache) {
    this(database, url, password, root, cache, FunctionalLog.OFF, "", false);
  }

  /** From STEELYARD_ variables; throws IllegalStateException where one makes no sense. */
  static Settings of(Map<String, String> environment) {
    // What stands between the application and its database, if anything does, is asked in its
    // place.
    String databasePort = environment.get("STEELYARD_PORT_DATABASE");
    String port = environment.getOrDefault("STEELYARD_PORT_LINK", databasePort);
    if (databasePort == null) {
      throw new IllegalStateException("the subject has no process in the role of database");
    }
    String place = environment.getOrDefault("STEELYARD_HOST", "127.0.0.1") + ":" + port;
    Database database = Database.named(one(environment, "DATABASE", Database.names()));
    return new Settings(
        database,
        database.at(place),
        environment.getOrDefault("STEELYARD_PASSWORD", ""),
        one(environment, "DOMAIN", List.of("root", "plain")).equals("root"),
        one(environment, "SECOND_LEVEL_CACHE", List.of("off", "read-only", "read-write")),
        one(
            environment,
            "LOG_LEVEL",
            List.of(FunctionalLog.OFF, "fatal", "error", "warn", "info", "debug", "trace")),
        environment.getOrDefault("STEELYARD_GAUGES", ""),
        one(environment, "LAZY_LOADING", List.of("hibernate", "service")).equals("service"));
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

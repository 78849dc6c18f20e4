package steelyard.petstore;

import java.util.Map;

/**
 * How this start of the pet store is made up: the variant of the calls between center and supplier,
 * whether a container without transactions of its own is given some (JTA), where the broker keeps
 * its messages, where the other processes are, and a planted delay of commits; and which part of it
 * this server holds.
 */
public record Settings(
    Variant variant,
    Part part,
    boolean jta,
    boolean messagesInDatabase,
    String host,
    int centerPort,
    int supplierPort,
    String database,
    int databasePort,
    String password,
    int mailPort,
    int mailListPort,
    long commitDelayMillis,
    String eventsFile,
    String gaugesFile) {

  /** Who asks the database, and a broker that stands in another server, with `password`. */
  public static final String USER = "steelyard";

  /** How center and supplier call each other. */
  public enum Variant {
    /** Messages, sent within the workflow's transaction. */
    JMS_ORIGINAL,
    /** Messages, sent outside of it. */
    JMS_MODIFIED,
    /** Web services, which no transaction spans, with a queue behind each. */
    WEB_SERVICE,
    /** Web services that the workflow's transaction spans (WS-AtomicTransaction). */
    WS_AT,
    /** Web services that are asked by a relay until they have done it, and that do it once. */
    OUTBOX;

    static Variant of(String name) {
      return switch (name) {
        case "jms-original" -> JMS_ORIGINAL;
        case "jms-modified" -> JMS_MODIFIED;
        case "web-service" -> WEB_SERVICE;
        case "ws-at" -> WS_AT;
        case "outbox" -> OUTBOX;
        default -> throw new IllegalArgumentException("there is no variant '" + name + "'");
      };
    }
  }

  /** From the variables that every start of a server is given; raises IllegalArgumentException. */
  public static Settings of(Map<String, String> environment) {
    return new Settings(
        Variant.of(environment.getOrDefault("STEELYARD_VARIANT", "jms-original")),
        Part.of(environment.getOrDefault("STEELYARD_PART", "all")),
        environment.getOrDefault("STEELYARD_TRANSACTIONS", "local").equals("jta"),
        environment.getOrDefault("STEELYARD_PERSISTENCE", "journal").equals("jdbc"),
        environment.getOrDefault("STEELYARD_HOST", "127.0.0.1"),
        portOf(Part.CENTER, environment),
        portOf(Part.SUPPLIER, environment),
        environment.getOrDefault("STEELYARD_DATABASE", "h2"),
        environment.containsKey("STEELYARD_PORT_LINK")
            ? port(environment, "STEELYARD_PORT_LINK")
            : port(environment, "STEELYARD_PORT_DATABASE"),
        environment.getOrDefault("STEELYARD_PASSWORD", ""),
        port(environment, "STEELYARD_PORT_MAIL"),
        Integer.parseInt(environment.getOrDefault("STEELYARD_PORT_MAIL_API", "0")),
        Long.parseLong(environment.getOrDefault("STEELYARD_COMMIT_DELAY_MS", "0")),
        environment.getOrDefault("STEELYARD_EVENTS", ""),
        environment.getOrDefault("STEELYARD_GAUGES", ""));
  }

  /** Of a part's own server, where it has one; else of the server of all. */
  private static int portOf(Part part, Map<String, String> environment) {
    String own = "STEELYARD_PORT_" + part;
    return port(environment, environment.containsKey(own) ? own : "STEELYARD_PORT_SERVER");
  }

  private static int port(Map<String, String> environment, String name) {
    String port = environment.get(name);
    if (port == null) {
      throw new IllegalArgumentException(
          name + " is not set: the pet store needs a database and a mail server beside it");
    }
    return Integer.parseInt(port);
  }

  /** Where the web service of the center or of the supplier is. */
  public String partnerUrl(Part partner) {
    return switch (partner) {
      case CENTER -> "http://" + host + ":" + centerPort + "/petstore/Invoices";
      case SUPPLIER -> "http://" + host + ":" + supplierPort + "/petstore/SupplierOrders";
      default -> throw new IllegalArgumentException(partner + " has no web service");
    };
  }

  /** Whether the broker stands in another server, which must be told who asks. */
  public boolean brokerIsElsewhere() {
    return !part.holds(Part.CENTER);
  }

  public String jdbcUrl() {
    String server = host + ":" + databasePort;
    return database.equals("postgresql")
        ? "jdbc:postgresql://" + server + "/steelyard"
        : "jdbc:h2:tcp://" + server + "/./steelyard;LOCK_TIMEOUT=20000";
  }

  /** The class of the product's driver whose connections take part in transactions. */
  public String xaDataSource() {
    return database.equals("postgresql")
        ? "org.postgresql.xa.PGXADataSource"
        : "org.h2.jdbcx.JdbcDataSource";
  }

  public String jdbcDriver() {
    return database.equals("postgresql") ? "org.postgresql.Driver" : "org.h2.Driver";
  }
}

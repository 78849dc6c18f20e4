package steelyard.flight;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A product that the domain may be kept in: its driver, and the address of the database. */
enum Database {
  H2("org.h2.Driver", "jdbc:h2:tcp://%s/./steelyard"),
  POSTGRES("org.postgresql.Driver", "jdbc:postgresql://%s/steelyard"),
  MARIADB("org.mariadb.jdbc.Driver", "jdbc:mariadb://%s/steelyard");

  private final String driver;
  private final String url;

  Database(String driver, String url) {
    this.driver = driver;
    this.url = url;
  }

  /** As the factor names it, the first one where nobody says otherwise. */
  static List<String> names() {
    return Arrays.stream(values()).map(each -> each.name().toLowerCase(Locale.ROOT)).toList();
  }

  static Database named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  String driver() {
    return driver;
  }

  /** Of a host and its port. */
  String at(String place) {
    return url.formatted(place);
  }
}

package steelyard.petstore;

/**
 * Which of the shop's parts a server holds: all of them, or one beside others in servers of their
 * own.
 */
public enum Part {
  ALL,
  /** The web site, which the customers ask. */
  SITE,
  /** The order processing center, and with it the broker of all. */
  CENTER,
  SUPPLIER;

  static Part of(String name) {
    return switch (name) {
      case "all" -> ALL;
      case "site" -> SITE;
      case "center" -> CENTER;
      case "supplier" -> SUPPLIER;
      default -> throw new IllegalArgumentException("there is no part '" + name + "'");
    };
  }

  public boolean holds(Part part) {
    return this == ALL || this == part;
  }
}

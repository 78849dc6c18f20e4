package example.shop;

import java.util.logging.LogManager;

/** A log manager that a server brings, and which must not be asked for before the server begins. */
public final class OwnLogManager extends LogManager {

  static final String BEGUN = "shop.begun";
  static final String MADE = "shop.logging";

  public OwnLogManager() {
    System.setProperty(MADE, System.getProperty(BEGUN) == null ? "too early" : "in time");
  }
}

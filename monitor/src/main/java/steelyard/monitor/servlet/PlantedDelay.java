package steelyard.monitor.servlet;

import steelyard.monitor.Monitor;

/** A delay that a request's header asks for: a layer's tag, a blank and whole microseconds. */
public final class PlantedDelay {

  /** The header's name. */
  public static final String HEADER = "Steelyard-Layer-Delay";

  private static final String FORM = "[a-z]{1,20} [0-9]{1,7}";

  private PlantedDelay() {}

  /** Whether a header's value asks for a delay. */
  public static boolean isOne(String value) {
    return value.matches(FORM);
  }

  /** Plants the delay that such a value asks for into this thread's request. */
  public static void plant(String value) {
    int blank = value.indexOf(' ');
    Monitor.delay(value.substring(0, blank), 1000 * Long.parseLong(value.substring(blank + 1)));
  }
}

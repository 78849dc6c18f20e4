package steelyard.soaservers;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;

/**
 * Where callees are, and how long a call may take: from the environment that the server was started
 * with.
 */
public record CallSettings(String base, Optional<Integer> timeoutMillis) {

  /**
   * Callees are on the subject's process in the role of callee where it has one, else on this
   * server; no time-out is set unless STEELYARD_CALL_TIMEOUT gives seconds.
   */
  public static CallSettings of(Map<String, String> environment) {
    String role = environment.containsKey("STEELYARD_PORT_CALLEE") ? "CALLEE" : "SERVER";
    String host = environment.getOrDefault("STEELYARD_HOST", "127.0.0.1");
    String port = environment.getOrDefault("STEELYARD_PORT_" + role, "8080");
    String path = environment.getOrDefault("STEELYARD_PATH_" + role, "/soaservers/Orchestration");
    String seconds = environment.getOrDefault("STEELYARD_CALL_TIMEOUT", "none");
    return new CallSettings(
        "http://" + host + ":" + port + path.substring(0, path.lastIndexOf('/') + 1),
        seconds.equals("none") ? Optional.empty() : Optional.of(millis(seconds)));
  }

  private static int millis(String seconds) {
    try {
      return new BigDecimal(seconds).movePointRight(3).intValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalStateException(
          "STEELYARD_CALL_TIMEOUT is '" + seconds + "', neither none nor seconds", e);
    }
  }
}

package steelyard.agent.boot;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;
import steelyard.monitor.Tag;
import steelyard.monitor.jdbc.Executions;
import steelyard.monitor.servlet.PlantedDelay;
import steelyard.monitor.servlet.RequestBegin;

/**
 * What woven code calls. A method that enters a layer says whether it did; only then is it left, by
 * the same frame of the same thread, so that nothing is left that was not entered.
 *
 * <p>Only what may begin a request does: whatever else is called on a thread that has none under
 * way, as by a thread that the request forked, is counted as outside and in no record.
 */
public final class Hooks {

  private static final Map<Tag, LongAdder> OUTSIDE = new ConcurrentHashMap<>();

  private static volatile Set<String> begin = Set.of();
  private static volatile Pattern paths;
  private static volatile boolean delays;

  private Hooks() {}

  /**
   * What holds from now on: the layers that begin a request beside the servlet's, the paths that
   * are recorded (with * for anything; none means all), and whether delays may be planted.
   */
  public static void rule(Set<String> layers, List<String> recorded, boolean planted) {
    begin = Set.copyOf(layers);
    paths =
        recorded.isEmpty()
            ? null
            : Pattern.compile(
                recorded.stream().map(Hooks::expression).collect(Collectors.joining("|")));
    delays = planted;
  }

  private static String expression(String path) {
    return Pattern.quote(path).replace("*", "\\E.*\\Q");
  }

  /** How often each layer was called where no request was under way. */
  public static Map<String, Long> outside() {
    Map<String, Long> counts = new TreeMap<>();
    OUTSIDE.forEach((layer, count) -> counts.put(layer.toString(), count.sum()));
    return counts;
  }

  /** Whether a request is under way on this thread. */
  public static boolean isUnderWay() {
    return Monitor.innermost() != null;
  }

  /**
   * A servlet's request begins with the layer of the web, unless its path is not recorded.
   *
   * @param delay the header that asks for a planted delay; null where there is none
   */
  public static boolean beginRequest(Object request, String method, String path, String delay) {
    Pattern recorded = paths;
    if (!Monitor.isOn() || recorded != null && !recorded.matcher(path).matches()) {
      return false;
    }
    Monitor.enter(Layers.FILTER);
    Monitor.began(RequestBegin.of(request));
    Monitor.context(Layers.FILTER, "method", method);
    if (delay != null && delays && PlantedDelay.isOne(delay)) {
      PlantedDelay.plant(delay);
    }
    return true;
  }

  /** The servlet's part of a request is over; {@code later}: the request is not. */
  public static void leaveServlet(boolean later) {
    if (later) {
      Monitor.leftThread();
    }
    Monitor.exit(Layers.FILTER);
  }

  /** Enters a layer, unless the request is in it already or there is none. */
  public static boolean enter(Tag layer) {
    Tag innermost = Monitor.innermost();
    if (innermost == layer || innermost == null && !begins(layer)) {
      return false;
    }
    Monitor.enter(layer);
    return true;
  }

  /** As {@link #enter}, of a layer whose calls have names. */
  public static boolean enter(Tag layer, String name) {
    boolean entered = enter(layer);
    if (entered) {
      Monitor.context(layer, "name", name);
    }
    return entered;
  }

  /**
   * As {@link #enter}, of the message layer: within an endpoint it is a call of another service.
   */
  public static boolean enterMessage(Tag layer) {
    return !(isUnderWay() && Monitor.isWithin(Layers.WS)) && enter(layer);
  }

  /** Leaves a layer that was entered. */
  public static void leave(Tag layer) {
    Monitor.exit(layer);
  }

  /**
   * As {@link #leave}, of a layer whose calls may fail: by an exception that they declare, which is
   * the application's own answer, or by another, which is none.
   */
  public static void leave(Tag layer, Throwable thrown) {
    if (thrown != null) {
      boolean own = !(thrown instanceof RuntimeException) && !(thrown instanceof Error);
      Monitor.context(layer, "fault", own ? "application" : "system");
    }
    Monitor.exit(layer);
  }

  /** Notes a statement's text when it is prepared: later nobody can ask for it. */
  public static void prepared(Object statement, String sql) {
    if (Monitor.isOn() && statement != null && sql != null && Executions.asks(sql)) {
      AskingStatements.add(statement);
    }
  }

  /**
   * Enters the layer that a statement's execution belongs to, and gives it; null where none is
   * entered, as of the statement that a connection pool's own one stands before.
   */
  public static Tag execute(Object statement, String method, Object first) {
    Tag innermost = Monitor.innermost();
    if (innermost == Layers.READS || innermost == Layers.WRITES) {
      return null;
    }
    boolean prepared = first == null && method.equals("execute");
    Tag layer =
        prepared
            ? (AskingStatements.has(statement) ? Layers.READS : Layers.WRITES)
            : Executions.layerOf(method, first instanceof String sql ? sql : null);
    return enter(layer) ? layer : null;
  }

  private static boolean begins(Tag layer) {
    if (!Monitor.isOn()) {
      return false;
    }
    if (begin.contains(layer.toString())) {
      return true;
    }
    OUTSIDE.computeIfAbsent(layer, each -> new LongAdder()).increment();
    return false;
  }
}

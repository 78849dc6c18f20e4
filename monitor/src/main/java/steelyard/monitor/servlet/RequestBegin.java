package steelyard.monitor.servlet;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * When a container began to read a request. A filter comes late: the head has been parsed by then,
 * and the application looked up. Tomcat, and what is made of it, notes the instant with its own
 * request, behind the facade that filters see; of others it is not known.
 */
public final class RequestBegin {

  private static final ClassValue<Optional<RequestBegin>> WAYS =
      new ClassValue<>() {
        @Override
        protected Optional<RequestBegin> computeValue(Class<?> type) {
          return way(type);
        }
      };

  private final Field behind;
  private final Method connectors;
  private final Method begun;

  private RequestBegin(Field behind, Method connectors, Method begun) {
    this.behind = behind;
    this.connectors = connectors;
    this.begun = begun;
  }

  /**
   * By {@link System#nanoTime}; where it is not known, now. The request is a servlet's, of either
   * namespace.
   */
  public static long of(Object request) {
    Optional<RequestBegin> known = WAYS.get(request.getClass());
    return known.isPresent() ? known.get().read(request) : System.nanoTime();
  }

  private static Optional<RequestBegin> way(Class<?> type) {
    try {
      Field behind = type.getDeclaredField("request");
      behind.setAccessible(true);
      Method connectors = behind.getType().getMethod("getCoyoteRequest");
      Method begun = connectors.getReturnType().getMethod("getStartTimeNanos");
      return Optional.of(new RequestBegin(behind, connectors, begun));
    } catch (NoSuchFieldException | NoSuchMethodException | RuntimeException e) {
      return Optional.empty(); // another container, or one that keeps it to itself
    }
  }

  private long read(Object request) {
    try {
      long at = (long) begun.invoke(connectors.invoke(behind.get(request)));
      return at >= 0 ? at : System.nanoTime(); // below 0: none was noted
    } catch (ReflectiveOperationException e) {
      return System.nanoTime();
    }
  }
}

package steelyard.monitor.servlet;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * When a container began to read a request. A filter comes late: the head has been parsed by then,
 * and the application looked up. Tomcat, and what is made of it, notes the instant with its own
 * request, behind the facade that filters see; of others it is not known.
 */
public final class RequestBegin {

  private static final MethodType READING = MethodType.methodType(long.class, Object.class);

  /** One handle each, since three calls by reflection were half of what a request was delayed. */
  private static final ClassValue<Optional<MethodHandle>> WAYS =
      new ClassValue<>() {
        @Override
        protected Optional<MethodHandle> computeValue(Class<?> type) {
          return way(type);
        }
      };

  private RequestBegin() {}

  /**
   * By {@link System#nanoTime}; where it is not known, now. The request is a servlet's, of either
   * namespace.
   */
  public static long of(Object request) {
    Optional<MethodHandle> known = WAYS.get(request.getClass());
    long at = known.isPresent() ? read(known.get(), request) : -1;
    return at >= 0 ? at : System.nanoTime(); // below 0: none was noted
  }

  private static Optional<MethodHandle> way(Class<?> type) {
    try {
      Field behind = type.getDeclaredField("request");
      behind.setAccessible(true);
      Method connectors = behind.getType().getMethod("getCoyoteRequest");
      Method begun = connectors.getReturnType().getMethod("getStartTimeNanos");
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      MethodHandle request = lookup.unreflectGetter(behind);
      MethodHandle coyote = MethodHandles.filterReturnValue(request, lookup.unreflect(connectors));
      return Optional.of(
          MethodHandles.filterReturnValue(coyote, lookup.unreflect(begun)).asType(READING));
    } catch (ReflectiveOperationException | RuntimeException e) {
      return Optional.empty(); // another container, or one that keeps it to itself
    }
  }

  /** The noted instant; below 0 where it cannot be read, as of a request that is over. */
  private static long read(MethodHandle way, Object request) {
    try {
      return (long) way.invokeExact(request);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      return -1;
    }
  }
}

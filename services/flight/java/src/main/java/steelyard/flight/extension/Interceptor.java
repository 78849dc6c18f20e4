package steelyard.flight.extension;

import java.util.function.Supplier;

/**
 * What goes around calls of a layer. It calls `rest` once, or not at all, and gives what that
 * gives.
 */
public interface Interceptor {

  <R> R around(String name, Supplier<R> rest);
}

package steelyard.flight.extension;

import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import steelyard.flight.domain.FlightException;

/** Logs the calls of a layer: each with how it ended, and how long it took. */
public final class LoggingInterceptor implements Interceptor {

  private static final Logger LOG = LogManager.getLogger(LoggingInterceptor.class);

  @Override
  public <R> R around(String name, Supplier<R> rest) {
    LOG.debug("{} begins", name);
    long begun = LOG.isInfoEnabled() ? System.nanoTime() : 0;
    try {
      R result = rest.get();
      LOG.info("{} took {} us", name, (System.nanoTime() - begun) / 1_000);
      LOG.trace("{} gives {}", name, result);
      return result;
    } catch (FlightException e) {
      LOG.warn("{} is refused: {}", name, e.getMessage());
      throw e;
    } catch (RuntimeException e) {
      LOG.error("{} failed", name, e);
      throw e;
    }
  }
}

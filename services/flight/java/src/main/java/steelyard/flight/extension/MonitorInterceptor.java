package steelyard.flight.extension;

import java.util.function.Supplier;
import steelyard.flight.domain.FlightException;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;
import steelyard.monitor.Tag;

/** Puts the calls of a layer into the monitor's records, with their names and how they failed. */
public abstract class MonitorInterceptor implements Interceptor {

  private final Tag layer;

  MonitorInterceptor(Tag layer) {
    this.layer = layer;
  }

  @Override
  public <R> R around(String name, Supplier<R> rest) {
    Monitor.enter(layer);
    try {
      Monitor.context(layer, "name", name);
      return rest.get();
    } catch (FlightException e) {
      Monitor.context(layer, "fault", "application");
      throw e;
    } catch (RuntimeException e) {
      Monitor.context(layer, "fault", "system");
      throw e;
    } finally {
      Monitor.exit(layer);
    }
  }

  /** Around the web service's operations. */
  public static final class OfWebService extends MonitorInterceptor {
    public OfWebService() {
      super(Layers.WS);
    }
  }

  /** Around the service objects. */
  public static final class OfService extends MonitorInterceptor {
    public OfService() {
      super(Layers.SI);
    }
  }
}

package steelyard.monitor.hibernate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerGroup;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.event.spi.EventType;
import org.hibernate.integrator.spi.Integrator;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;

/**
 * Puts the work that Hibernate does on events into its layer: what is loaded, by lazy references
 * too, saved, merged, removed and flushed. Hibernate finds it by itself where the monitor is among
 * the application's libraries, and it does nothing where the monitor is off when Hibernate starts.
 *
 * <p>With the setting {@link #LAZY} at {@link #CALLER} what is loaded by a lazy reference, and not
 * by a call of Hibernate's objects, stays in the layer whose code follows the reference.
 */
public final class MonitorIntegrator implements Integrator {

  /** The setting of Hibernate that selects the layer of lazy loading; by default Hibernate's. */
  public static final String LAZY = "steelyard.monitor.lazy";

  /** Lazy loading belongs to the layer that causes it. */
  public static final String CALLER = "caller";

  private static final List<EventType<?>> LOADING =
      List.of(EventType.LOAD, EventType.INIT_COLLECTION);

  private static final List<EventType<?>> WATCHED =
      List.of(
          EventType.LOAD,
          EventType.INIT_COLLECTION,
          EventType.PERSIST,
          EventType.PERSIST_ONFLUSH,
          EventType.MERGE,
          EventType.DELETE,
          EventType.LOCK,
          EventType.REFRESH,
          EventType.FLUSH,
          EventType.AUTO_FLUSH);

  @Override
  public void integrate(
      Metadata metadata, BootstrapContext context, SessionFactoryImplementor factory) {
    if (Monitor.isOn()) {
      EventListenerRegistry registry =
          factory.getServiceRegistry().requireService(EventListenerRegistry.class);
      var settings =
          factory.getServiceRegistry().requireService(ConfigurationService.class).getSettings();
      boolean lazyIsTheCallers = CALLER.equals(settings.get(LAZY));
      for (EventType<?> type : WATCHED) {
        if (!lazyIsTheCallers || !LOADING.contains(type)) {
          watch(registry, type);
        }
      }
    }
  }

  private static <T> void watch(EventListenerRegistry registry, EventType<T> type) {
    EventListenerGroup<T> group = registry.getEventListenerGroup(type);
    List<T> watched = new ArrayList<>();
    group.fireEventOnEachListener(
        watched, (listener, all) -> all.add(proxy(type.baseListenerInterface(), listener)));
    group.clearListeners();
    watched.forEach(group::appendListener);
  }

  private static <T> T proxy(Class<T> declared, T listener) {
    InvocationHandler handler =
        (proxy, method, arguments) -> Layers.invoke(Layers.HIBERNATE, listener, method, arguments);
    return declared.cast(
        Proxy.newProxyInstance(
            MonitorIntegrator.class.getClassLoader(), new Class<?>[] {declared}, handler));
  }
}

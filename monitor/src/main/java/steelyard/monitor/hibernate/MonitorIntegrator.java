package steelyard.monitor.hibernate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
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
 */
public final class MonitorIntegrator implements Integrator {

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
      for (EventType<?> type : WATCHED) {
        watch(registry, type);
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

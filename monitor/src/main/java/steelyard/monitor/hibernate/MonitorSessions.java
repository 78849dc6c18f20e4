package steelyard.monitor.hibernate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.LinkedHashSet;
import java.util.Set;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.Transaction;
import org.hibernate.query.CommonQueryContract;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;

/**
 * Puts every call of Hibernate's engine objects into its layer: of the session factory, and of the
 * sessions, transactions and queries that come of it.
 */
public final class MonitorSessions {

  /**
   * Of each class whose objects are watched: to gather them costs more than what is done with them.
   */
  private static final ClassValue<Class<?>[]> INTERFACES =
      new ClassValue<>() {
        @Override
        protected Class<?>[] computeValue(Class<?> type) {
          Set<Class<?>> interfaces = new LinkedHashSet<>();
          for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            interfaces.addAll(Set.of(each.getInterfaces()));
          }
          return interfaces.toArray(Class<?>[]::new);
        }
      };

  private MonitorSessions() {}

  /** A session factory whose calls are timed, and those of all that it gives. */
  public static SessionFactory of(SessionFactory factory) {
    return (SessionFactory) proxy(factory);
  }

  /** A session whose calls are timed, and those of its transactions and queries. */
  public static Session of(Session session) {
    return (Session) proxy(session);
  }

  private static Object proxy(Object object) {
    Class<?> type = object.getClass();
    return Proxy.newProxyInstance(type.getClassLoader(), INTERFACES.get(type), new Engine(object));
  }

  private record Engine(Object object) implements InvocationHandler {

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      if (method.getDeclaringClass() == Object.class) {
        return method.getName().equals("equals")
            ? proxy == arguments[0]
            : method.invoke(object, arguments);
      }
      Monitor.enter(Layers.HIBERNATE);
      try {
        return watched(proxy, method.invoke(object, arguments));
      } catch (InvocationTargetException e) {
        throw e.getCause();
      } finally {
        Monitor.exit(Layers.HIBERNATE);
      }
    }

    private Object watched(Object proxy, Object given) {
      if (given == object) {
        return proxy; // a query that was told something
      }
      boolean engine =
          given instanceof Session
              || given instanceof StatelessSession
              || given instanceof Transaction
              || given instanceof CommonQueryContract;
      return engine && !Proxy.isProxyClass(given.getClass()) ? proxy(given) : given;
    }
  }
}

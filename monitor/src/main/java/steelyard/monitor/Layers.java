package steelyard.monitor;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;

/**
 * The layers that the packages beside this one tell apart, from the outside in, and how to put a
 * call into one.
 */
public final class Layers {

  /** The servlet filter: all of a request that the application sees. */
  public static final Tag FILTER = Monitor.tag("filter");

  /** The SOAP message handler: from the parsed envelope to the one that goes back. */
  public static final Tag SOAP = Monitor.tag("soap");

  /** The web-service interceptor: the endpoint's own method. */
  public static final Tag WS = Monitor.tag("ws");

  /** The service interceptor: each service object that is called. */
  public static final Tag SI = Monitor.tag("si");

  /** The persistence engine. */
  public static final Tag HIBERNATE = Monitor.tag("hibernate");

  /** Statements that change the database. */
  public static final Tag WRITES = Monitor.tag("writes");

  /** Statements that ask the database. */
  public static final Tag READS = Monitor.tag("reads");

  /** Messages that are sent to a broker or awaited from it. */
  public static final Tag JMS = Monitor.tag("jms");

  /** Calls of other services over HTTP, until the head of their answer is there. */
  public static final Tag HTTP = Monitor.tag("http");

  private Layers() {}

  /** Calls within a layer. */
  public static <T> T within(Tag layer, Callable<T> call) throws Exception {
    Monitor.enter(layer);
    try {
      return call.call();
    } finally {
      Monitor.exit(layer);
    }
  }

  /**
   * An object all of whose methods that the interface declares run within a layer: a service
   * interceptor.
   */
  public static <T> T within(Tag layer, Class<T> declared, T object) {
    InvocationHandler handler =
        (proxy, method, arguments) -> invoke(layer, object, method, arguments);
    return declared.cast(
        Proxy.newProxyInstance(declared.getClassLoader(), new Class<?>[] {declared}, handler));
  }

  /** Invokes a method of an object within a layer; what the method throws, this throws. */
  public static Object invoke(Tag layer, Object object, Method method, Object[] arguments)
      throws Throwable {
    boolean timed = method.getDeclaringClass() != Object.class;
    if (timed) {
      Monitor.enter(layer);
    }
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } finally {
      if (timed) {
        Monitor.exit(layer);
      }
    }
  }
}

package steelyard.flight.extension;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * The interceptors of the service layer and of the web service layer, in the order of
 * extensions.properties: the first is outermost.
 */
public final class Extensions {

  private static final String FILE = "/extensions.properties";

  private final List<Interceptor> service;
  private final List<Interceptor> webService;

  Extensions(List<Interceptor> service, List<Interceptor> webService) {
    this.service = List.copyOf(service);
    this.webService = List.copyOf(webService);
  }

  /** Those of the application's own file. */
  public static Extensions ofApplication() {
    var names = new Properties();
    try (InputStream file = Extensions.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException("the application lacks its " + FILE);
      }
      names.load(file);
    } catch (IOException e) {
      throw new IllegalStateException(FILE + " cannot be read", e);
    }
    return of(names);
  }

  static Extensions of(Properties names) {
    for (String key : names.stringPropertyNames()) {
      if (!key.equals("service") && !key.equals("web-service")) {
        throw new IllegalStateException(
            FILE + " has '" + key + "', which is neither service nor web-service");
      }
    }
    return new Extensions(made(names, "service"), made(names, "web-service"));
  }

  public <R> R aroundService(String name, Supplier<R> call) {
    return around(service, name, call);
  }

  public <R> R aroundWebService(String name, Supplier<R> call) {
    return around(webService, name, call);
  }

  private static <R> R around(List<Interceptor> interceptors, String name, Supplier<R> call) {
    if (interceptors.isEmpty()) {
      return call.get();
    }
    List<Interceptor> inner = interceptors.subList(1, interceptors.size());
    return interceptors.get(0).around(name, () -> around(inner, name, call));
  }

  private static List<Interceptor> made(Properties names, String layer) {
    return Arrays.stream(names.getProperty(layer, "").split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .map(Extensions::made)
        .toList();
  }

  private static Interceptor made(String name) {
    try {
      return Class.forName(name)
          .asSubclass(Interceptor.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new IllegalStateException(FILE + " names '" + name + "', which is no interceptor", e);
    }
  }
}

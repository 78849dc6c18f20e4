package steelyard.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.servlet.DispatcherType;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import steelyard.monitor.Monitor;
import steelyard.monitor.Records;
import steelyard.monitor.Records.Request;

class WeaverTest {

  private static final int MAJOR_VERSION = 7; // the last byte of the four after magic and minor
  private static final Settings SETTINGS =
      new Settings(
          Path.of("."),
          Set.of(),
          Set.of(),
          List.of(),
          List.of(),
          List.of("example.shop.*"),
          List.of("example.shop.Shop*"),
          false);

  @TempDir Path folder;

  private final Counts counts = new Counts();
  private final ClassFileTransformer weaver = Weaver.of(SETTINGS, counts).makeRaw();

  @Test
  void aClassOfAVersionThatIsNotKnownStaysAsItIsAndIsCounted() throws Exception {
    byte[] future = classFile("example/shop/Orders");
    future[MAJOR_VERSION] = 120;

    assertThat(woven(getClass().getClassLoader(), "example/shop/Orders", future)).isNull();
    assertThat(counts.failed()).isEqualTo(1);
    assertThat(counts.json()).contains("\"failed\":1", "example.shop.Orders", "120");
  }

  @Test
  void aClassWhoseLoaderDoesNotSeeTheHooksIsLeftAloneAndCounted() throws Exception {
    ClassLoader blind = new ClassLoader(null) {};

    assertThat(woven(blind, "example/shop/Orders", classFile("example/shop/Orders"))).isNull();
    assertThat(counts.unseen()).isEqualTo(1);
    assertThat(counts.failed()).isZero();
  }

  @Test
  void whatIsExcludedOrOfNoLayerIsNotTouched() throws Exception {
    for (String name : List.of("example/shop/Shop", "java/lang/String")) {
      assertThat(woven(getClass().getClassLoader(), name, classFile(name))).isNull();
    }
    assertThat(counts.json()).startsWith("{\"woven\":{}");
  }

  @Test
  void aFilterOfTheOlderNamespaceBeginsARequestToo() throws Exception {
    String name = "example/shop/OldFilter";
    byte[] changed = woven(getClass().getClassLoader(), name, classFile(name));
    Filter filter = (Filter) new Defining(changed).loaded.getDeclaredConstructor().newInstance();
    HttpServletRequest request =
        (HttpServletRequest)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getDispatcherType" -> DispatcherType.REQUEST;
                      case "getMethod" -> "PUT";
                      case "getRequestURI" -> "/old";
                      case "isAsyncStarted" -> false;
                      default -> null;
                    });
    FilterChain end = (asked, answered) -> {};
    Monitor.start(folder);
    try {
      filter.doFilter(request, null, end);
    } finally {
      Monitor.stop();
    }

    List<Request> all = Records.in(folder);
    assertThat(all).extracting(each -> each.contexts().get("filter_method")).containsExactly("PUT");
    assertThat(all).extracting(Request::violations).containsExactly(0);
  }

  /**
   * What the JVM would load in the place of these bytes; null: these, also where weaving throws.
   */
  private byte[] woven(ClassLoader loader, String name, byte[] bytes)
      throws IllegalClassFormatException {
    try {
      return weaver.transform(loader, name, null, null, bytes);
    } catch (IllegalStateException e) {
      return null;
    }
  }

  private static byte[] classFile(String name) throws IOException {
    try (InputStream file = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      return file.readAllBytes();
    }
  }

  /** Loads one class, of these bytes. */
  private static final class Defining extends ClassLoader {

    private final Class<?> loaded;

    Defining(byte[] bytes) {
      super(WeaverTest.class.getClassLoader());
      loaded = defineClass(null, bytes, 0, bytes.length);
    }
  }
}

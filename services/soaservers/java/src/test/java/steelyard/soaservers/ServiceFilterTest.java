package steelyard.soaservers;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServiceFilterTest {

  private final ServiceFilter filter = new ServiceFilter();
  private final AtomicInteger passedOn = new AtomicInteger();
  private final FilterChain chain = (request, response) -> passedOn.incrementAndGet();
  private final List<String> errors = new ArrayList<>();

  @Test
  void clientsRequestsAndCallsAreCountedApart() throws Exception {
    assertThat(count(null)).isEqualTo("0");

    call("POST", "/soaservers/Orchestration", null, null);
    call("POST", "/soaservers/Callee2", null, null);
    call("POST", "/soaservers/Callee2", null, null);
    call("GET", "/soaservers/Callee2", null, null);

    assertThat(passedOn).hasValue(4);
    assertThat(count(null)).isEqualTo("1");
    assertThat(count("s2")).isEqualTo("2");
    assertThat(count("left")).isEqualTo("0");
    assertThat(passedOn).hasValue(4);
  }

  @Test
  void requestsCountWhateverPathTheProductPutsBeforeTheService() throws Exception {
    call("POST", "/soaservers/services/Left", null, null);
    call("POST", "/soaservers/Left", null, null);

    assertThat(count("left")).isEqualTo("2");
  }

  @Test
  void countOfAnUnknownServiceIsAnError() throws Exception {
    count("s99");

    assertThat(errors).containsExactly("404 there is no service s99");
  }

  @Test
  void busyHeaderBurnsProcessorTime() throws Exception {
    call("POST", "/soaservers/Orchestration", "1", null);
    long before = System.nanoTime();

    call("POST", "/soaservers/Orchestration", "20000.5", null);

    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(20_000_500L);
    assertThat(passedOn).hasValue(2);
  }

  @Test
  void aBusyHeaderThatAsksForMoreThanASecondIsRefused() throws Exception {
    for (String asked : List.of("1000000.5", "-1", "NaN", "1e300", "a while", "")) {
      call("POST", "/soaservers/Orchestration", asked, null);
    }

    assertThat(passedOn).hasValue(0);
  }

  private String count(String service) throws Exception {
    return call("GET", "/soaservers/count", null, service);
  }

  private String call(String method, String uri, String busyMicros, String service)
      throws Exception {
    Map<String, Object> asked = new HashMap<>();
    asked.put("getMethod", method);
    asked.put("getRequestURI", uri);
    asked.put("getHeader", busyMicros);
    asked.put("getParameter", service);
    var written = new StringWriter();
    var answer = new HashMap<String, Object>(Map.of("getWriter", new PrintWriter(written)));
    answer.put("setContentType", null);
    answer.put("sendError", null);
    filter.doFilter(
        canned(HttpServletRequest.class, asked), canned(HttpServletResponse.class, answer), chain);
    return written.toString();
  }

  /** An object that answers the methods named in the map, and fails on any other. */
  private <T> T canned(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              assertThat(answers).containsKey(method.getName());
              if (method.getName().equals("sendError")) {
                errors.add(arguments[0] + " " + arguments[1]);
              }
              return answers.get(method.getName());
            }));
  }
}

package steelyard.wstest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServiceFilterTest {

  private final ServiceFilter filter = new ServiceFilter();
  private final AtomicInteger passedOn = new AtomicInteger();
  private final FilterChain chain = (request, response) -> passedOn.incrementAndGet();

  @Test
  void serviceRequestsArePassedOnAndCounted() throws Exception {
    assertThat(call("GET", "/wstest/count", null)).isEqualTo("0");

    call("POST", "/wstest/WSTest", null);
    call("POST", "/wstest/WSTest", null);
    call("GET", "/wstest/WSTest", null);
    call("GET", "/wstest/rest/orders/1", null);

    assertThat(passedOn).hasValue(4);
    assertThat(call("GET", "/wstest/count", null)).isEqualTo("3");
    assertThat(passedOn).hasValue(4);
  }

  @Test
  void busyHeaderBurnsProcessorTime() throws Exception {
    call("POST", "/wstest/WSTest", "1");
    long before = System.nanoTime();

    call("POST", "/wstest/WSTest", "20000.5");

    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(20_000_500L);
    assertThat(passedOn).hasValue(2);
  }

  @Test
  void aBusyHeaderThatAsksForMoreThanASecondIsRefused() throws Exception {
    for (String asked : List.of("1000000.5", "-1", "NaN", "1e300", "a while", "")) {
      call("POST", "/wstest/WSTest", asked);
    }

    assertThat(passedOn).hasValue(0);
  }

  private String call(String method, String uri, String busyMicros) throws Exception {
    Map<String, Object> asked = new HashMap<>();
    asked.put("getMethod", method);
    asked.put("getRequestURI", uri);
    asked.put("getContextPath", "/wstest");
    asked.put("getHeader", busyMicros);
    var written = new StringWriter();
    var answer = new HashMap<String, Object>(Map.of("getWriter", new PrintWriter(written)));
    answer.put("setContentType", null);
    answer.put("sendError", null);
    filter.doFilter(
        canned(HttpServletRequest.class, asked), canned(HttpServletResponse.class, answer), chain);
    return written.toString();
  }

  /** An object that answers the methods named in the map, and fails on any other. */
  private static <T> T canned(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              assertThat(answers).containsKey(method.getName());
              return answers.get(method.getName());
            }));
  }
}

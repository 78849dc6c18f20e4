package steelyard.soaservers;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import steelyard.common.BusyWork;

/**
 * Counts the requests of each endpoint, tells clients' requests at /count and the calls of a
 * service at /count?service=NAME, and obeys the header Steelyard-Busy-Us.
 */
@WebFilter(urlPatterns = "/*", asyncSupported = true)
public class ServiceFilter extends HttpFilter {

  private static final long serialVersionUID = 1;

  private final transient Map<String, LongAdder> requests = new ConcurrentHashMap<>();

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    // Some products put their endpoints below a path of their own, so the last part alone counts.
    String uri = request.getRequestURI();
    String address = uri.substring(uri.lastIndexOf('/') + 1);
    if (address.equals("count")) {
      tellCount(request.getParameter("service"), response);
      return;
    }
    if (request.getMethod().equals("POST")) {
      requests.computeIfAbsent(address, unseen -> new LongAdder()).increment();
    }
    String busyMicros = request.getHeader("Steelyard-Busy-Us");
    if (busyMicros != null && !BusyWork.spin(busyMicros)) {
      response.sendError(
          HttpServletResponse.SC_BAD_REQUEST,
          "Steelyard-Busy-Us is a number of microseconds up to a million");
      return;
    }
    chain.doFilter(request, response);
  }

  private void tellCount(String service, HttpServletResponse response) throws IOException {
    String address = service == null ? "Orchestration" : Services.shared().address(service);
    if (address == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND, "there is no service " + service);
      return;
    }
    LongAdder count = requests.get(address);
    response.setContentType("text/plain");
    response.getWriter().print(count == null ? 0 : count.sum());
  }
}

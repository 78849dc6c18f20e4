package steelyard.soakit.service;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import steelyard.common.BusyWork;

/**
 * Counts requests, tells the count at /count, obeys the header Steelyard-Busy-Us, and hands a
 * request on to the endpoint that takes the stack's own tree where the technique is soapelement.
 */
@WebFilter(urlPatterns = "/*", asyncSupported = true)
public class ServiceFilter extends HttpFilter {

  private static final long serialVersionUID = 1;
  private static final Set<String> DOCUMENTS = Set.of("TVDinner", "SushiBoats", "Buffet");

  private final transient LongAdder requests = new LongAdder();

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String uri = request.getRequestURI();
    String address = uri.substring(uri.lastIndexOf('/') + 1);
    if (address.equals("count")) {
      response.setContentType("text/plain");
      response.getWriter().print(requests.sum());
      return;
    }
    if (request.getMethod().equals("POST")) {
      requests.increment();
    }
    String busyMicros = request.getHeader("Steelyard-Busy-Us");
    if (busyMicros != null && !BusyWork.spin(busyMicros)) {
      response.sendError(
          HttpServletResponse.SC_BAD_REQUEST,
          "Steelyard-Busy-Us is a number of microseconds up to a million");
      return;
    }
    String useCase = address.endsWith("Rpc") ? address.substring(0, address.length() - 3) : address;
    if (Settings.soapElement() && DOCUMENTS.contains(useCase)) {
      request.getRequestDispatcher("/" + useCase + "Element").forward(request, response);
      return;
    }
    chain.doFilter(request, response);
  }
}

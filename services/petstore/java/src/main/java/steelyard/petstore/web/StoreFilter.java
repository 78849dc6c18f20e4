package steelyard.petstore.web;

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

/** Counts visitors' requests, tells them at /count, and obeys the header Steelyard-Busy-Us. */
@WebFilter(urlPatterns = "/*", asyncSupported = true)
public class StoreFilter extends HttpFilter {

  private static final long serialVersionUID = 1;

  /** What visitors ask for; pictures, partners and administrators are not counted. */
  private static final Set<String> COUNTED =
      Set.of("/home", "/category", "/product", "/item", "/cart", "/checkout", "/signin", "/order");

  private final transient LongAdder requests = new LongAdder();

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    // Where no servlet is, servers differ in which of the two holds it.
    String info = request.getPathInfo();
    String path = request.getServletPath() + (info == null ? "" : info);
    if (path.equals("/count")) {
      response.setContentType("text/plain");
      response.getWriter().print(requests.sum());
      return;
    }
    if (COUNTED.contains(path)) {
      requests.increment();
    }
    String busyMicros = request.getHeader("Steelyard-Busy-Us");
    if (busyMicros != null && !BusyWork.spin(busyMicros)) {
      Html.refusal(
          response,
          HttpServletResponse.SC_BAD_REQUEST,
          "Steelyard-Busy-Us is a number of microseconds up to a million.");
      return;
    }
    chain.doFilter(request, response);
  }
}

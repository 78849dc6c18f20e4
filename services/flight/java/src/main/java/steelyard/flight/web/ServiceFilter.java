package steelyard.flight.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import steelyard.common.BusyWork;
import steelyard.flight.Application;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;

/**
 * Counts the web service's requests, tells the count at /count, and obeys the header
 * Steelyard-Busy-Us.
 */
@WebFilter(filterName = "service", urlPatterns = "/*", asyncSupported = true)
public class ServiceFilter extends HttpFilter {

  private static final long serialVersionUID = 1;

  private final transient LongAdder requests = new LongAdder();

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request.getRequestURI().equals(request.getContextPath() + "/count")) {
      response.setContentType("text/plain");
      response.getWriter().print(requests.sum());
      return;
    }
    if (request.getMethod().equals("POST") && request.getRequestURI().endsWith("/Flight")) {
      requests.increment();
      Monitor.context(Layers.FILTER, "bytes", String.valueOf(request.getContentLength()));
    }
    String busyMicros = request.getHeader("Steelyard-Busy-Us");
    if (busyMicros != null && !BusyWork.spin(busyMicros)) {
      response.sendError(
          HttpServletResponse.SC_BAD_REQUEST,
          "Steelyard-Busy-Us is a number of microseconds up to a million");
      return;
    }
    try {
      chain.doFilter(request, response);
    } finally {
      Application.tellLog();
    }
  }
}

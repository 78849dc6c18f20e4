package steelyard.wstest;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebFilter;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import steelyard.common.BusyWork;

/**
 * Counts service requests, tells the count at /count, obeys the header Steelyard-Busy-Us, and keeps
 * the journal where there is one.
 */
@WebFilter(urlPatterns = "/*", asyncSupported = true)
public class ServiceFilter extends HttpFilter {

  private static final long serialVersionUID = 1;

  private final transient LongAdder requests = new LongAdder();

  private transient Journal journal; // null: none is kept

  @Override
  public void init() throws ServletException {
    try {
      journal = Journal.of(System.getenv()).orElse(null);
    } catch (SQLException e) {
      throw new ServletException("the journal's database cannot be reached", e);
    }
  }

  @Override
  public void destroy() {
    try {
      if (journal != null) {
        journal.close();
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the journal's database cannot be left", e);
    }
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request.getRequestURI().equals(request.getContextPath() + "/count")) {
      response.setContentType("text/plain");
      response.getWriter().print(requests.sum());
      return;
    }
    if (isOfTheService(request)) {
      requests.increment();
      if (journal != null) {
        record(request.getContentLength());
      }
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

  /** What is posted, and what is fetched below /rest; a description is neither. */
  private static boolean isOfTheService(HttpServletRequest request) {
    return request.getMethod().equals("POST")
        || request.getRequestURI().startsWith(request.getContextPath() + "/rest/");
  }

  private void record(int bytes) throws ServletException {
    try {
      journal.write(bytes);
    } catch (SQLException e) {
      throw new ServletException("the request is not in the journal", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServletException("the server is ending", e);
    }
  }
}

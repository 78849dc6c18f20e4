package steelyard.monitor.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;

/**
 * The outermost layer: a request until its servlet has answered, from the first filter on, or,
 * where the container notes it, from when that began to read the request. It should stand before
 * all other filters, on what is to be measured alone (a path that counts requests is not). What the
 * container does after it, above all to send what is still in its buffer, is in no layer.
 *
 * <p>A request with the header {@code Steelyard-Layer-Delay: LAYER MICROSECONDS} is delayed within
 * that layer, by a second at most, while the monitor is on: this is how tests of the monitor plant
 * a known time.
 */
public class MonitorFilter implements Filter {

  /** The header that asks for a delay. */
  public static final String DELAY = PlantedDelay.HEADER;

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!Monitor.isOn() || !(request instanceof HttpServletRequest http)) {
      chain.doFilter(request, response);
      return;
    }
    String delay = http.getHeader(DELAY);
    if (delay != null && !PlantedDelay.isOne(delay)) {
      ((HttpServletResponse) response)
          .sendError(HttpServletResponse.SC_BAD_REQUEST, DELAY + " is a layer and microseconds");
      return;
    }
    Monitor.enter(Layers.FILTER);
    try {
      Monitor.began(RequestBegin.of(request));
      if (delay != null) {
        PlantedDelay.plant(delay);
      }
      Monitor.context(Layers.FILTER, "method", http.getMethod());
      chain.doFilter(request, response);
    } finally {
      if (request.isAsyncStarted()) {
        Monitor.leftThread();
      }
      Monitor.exit(Layers.FILTER);
    }
  }
}

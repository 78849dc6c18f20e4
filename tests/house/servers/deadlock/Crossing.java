import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes two locks around every service request, each second time in the other order: right until two requests meet. */
public class Crossing extends HttpFilter implements ServletContainerInitializer {

  private static final long serialVersionUID = 1;
  private static final Object NORTH = new Object();
  private static final Object SOUTH = new Object();

  private final AtomicInteger requests = new AtomicInteger();

  @Override
  public void onStartup(Set<Class<?>> classes, ServletContext context) {
    context.addFilter("crossing", this).addMappingForUrlPatterns(null, false, "/*");
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!request.getMethod().equals("POST")) {
      chain.doFilter(request, response);
      return;
    }
    boolean northFirst = requests.incrementAndGet() % 2 == 0;
    synchronized (northFirst ? NORTH : SOUTH) {
      Thread.yield();
      synchronized (northFirst ? SOUTH : NORTH) {
        chain.doFilter(request, response);
      }
    }
  }
}

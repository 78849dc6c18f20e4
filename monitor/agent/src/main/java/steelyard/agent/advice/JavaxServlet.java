package steelyard.agent.advice;

import javax.servlet.DispatcherType;
import javax.servlet.ServletRequest;
import javax.servlet.http.HttpServletRequest;
import net.bytebuddy.asm.Advice;
import steelyard.agent.boot.Hooks;
import steelyard.monitor.Layers;
import steelyard.monitor.servlet.PlantedDelay;

/** Woven into what serves a request: filter chains, filters, servlets of the namespace javax. */
public final class JavaxServlet {

  private JavaxServlet() {}

  /**
   * A dispatch to an error page, or back from an asynchronous part, belongs to a request that has
   * its record already.
   */
  @Advice.OnMethodEnter(suppress = Throwable.class)
  static boolean enter(@Advice.Argument(0) ServletRequest request) {
    if (Hooks.isUnderWay()) {
      return Hooks.enter(Layers.FILTER);
    }
    if (!(request instanceof HttpServletRequest)
        || request.getDispatcherType() != DispatcherType.REQUEST) {
      return false;
    }
    HttpServletRequest http = (HttpServletRequest) request;
    return Hooks.beginRequest(
        request, http.getMethod(), http.getRequestURI(), http.getHeader(PlantedDelay.HEADER));
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(@Advice.Enter boolean entered, @Advice.Argument(0) ServletRequest request) {
    if (entered) {
      boolean later = false;
      try {
        later = request.isAsyncStarted();
      } catch (RuntimeException e) {
        later = true; // whose it is now nobody knows
      }
      Hooks.leaveServlet(later);
    }
  }
}

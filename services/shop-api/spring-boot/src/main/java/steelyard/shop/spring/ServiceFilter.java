package steelyard.shop.spring;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import steelyard.common.BusyWork;
import steelyard.shop.Counts;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Counts requests, and obeys the header Steelyard-Busy-Us. */
@Component
class ServiceFilter extends OncePerRequestFilter {

  private final Counts counts;
  private final HandlerExceptionResolver refusals;

  ServiceFilter(
      Counts counts, @Qualifier("handlerExceptionResolver") HandlerExceptionResolver refusals) {
    this.counts = counts;
    this.refusals = refusals;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (Counts.counts(request.getRequestURI())) {
      counts.addRequest();
    }
    String busyMicros = request.getHeader("Steelyard-Busy-Us");
    if (busyMicros != null && !BusyWork.spin(busyMicros)) {
      refusals.resolveException(request, response, null, new RefusalException(Refusal.NOT_VALID));
      return;
    }
    chain.doFilter(request, response);
  }
}

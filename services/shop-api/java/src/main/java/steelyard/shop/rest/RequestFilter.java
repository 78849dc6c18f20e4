package steelyard.shop.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.ext.Provider;
import steelyard.common.BusyWork;
import steelyard.shop.Counts;
import steelyard.shop.Refusal;

/** Counts requests, and obeys the header Steelyard-Busy-Us. */
@Provider
@PreMatching
public class RequestFilter implements ContainerRequestFilter {

  @Inject Counts counts;

  @Override
  public void filter(ContainerRequestContext request) {
    if (Counts.counts(request.getUriInfo().getRequestUri().getPath())) {
      counts.addRequest();
    }
    String busyMicros = request.getHeaderString("Steelyard-Busy-Us");
    if (busyMicros != null && !BusyWork.spin(busyMicros)) {
      request.abortWith(Refusals.response(Refusal.NOT_VALID));
    }
  }
}

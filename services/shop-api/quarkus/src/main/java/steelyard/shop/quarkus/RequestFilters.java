package steelyard.shop.quarkus;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import steelyard.common.BusyWork;
import steelyard.shop.Counts;
import steelyard.shop.Refusal;

/** Counts requests, and keeps the thread of a request busy where its header asks for it. */
public class RequestFilters {

  private static final String BUSY_HEADER = "Steelyard-Busy-Us";

  private final Counts counts;

  RequestFilters(Counts counts) {
    this.counts = counts;
  }

  /** Before matching, so that a request that no method takes counts, too. */
  @ServerRequestFilter(preMatching = true)
  public void count(ContainerRequestContext request) {
    if (Counts.counts(request.getUriInfo().getPath())) {
      counts.addRequest();
    }
  }

  /** On the thread of the method that answers. */
  @ServerRequestFilter
  public Response stayBusy(ContainerRequestContext request) {
    String micros = request.getHeaderString(BUSY_HEADER);
    return micros == null || BusyWork.spin(micros) ? null : Refusals.response(Refusal.NOT_VALID);
  }
}

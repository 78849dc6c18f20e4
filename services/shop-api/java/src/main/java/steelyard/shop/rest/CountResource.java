package steelyard.shop.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Counts;

/** How many requests there were since the start. */
@Path("count")
public class CountResource {

  @Inject Counts counts;

  @GET
  @Produces(MediaType.TEXT_PLAIN)
  public String count() {
    return Long.toString(counts.requests());
  }
}

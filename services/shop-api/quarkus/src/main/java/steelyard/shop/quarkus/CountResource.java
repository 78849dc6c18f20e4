package steelyard.shop.quarkus;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Counts;

/** What was asked and accepted since the start. */
@Path("/shop")
@Produces(MediaType.TEXT_PLAIN)
public class CountResource {

  private final Counts counts;

  CountResource(Counts counts) {
    this.counts = counts;
  }

  @GET
  @Path("count")
  public String requests() {
    return Long.toString(counts.requests());
  }

  @GET
  @Path("accepted")
  public String accepted() {
    return Long.toString(counts.accepted());
  }
}

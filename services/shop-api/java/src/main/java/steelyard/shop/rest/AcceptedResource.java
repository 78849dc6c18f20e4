package steelyard.shop.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Counts;

/** How many orders were accepted since the start. */
@Path("accepted")
public class AcceptedResource {

  @Inject Counts counts;

  @GET
  @Produces(MediaType.TEXT_PLAIN)
  public String accepted() {
    return Long.toString(counts.accepted());
  }
}

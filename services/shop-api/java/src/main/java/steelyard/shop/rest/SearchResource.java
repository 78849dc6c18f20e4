package steelyard.shop.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Items;
import steelyard.shop.Parameters;
import steelyard.shop.jpa.Catalog;

/** The cheapest items of a keyword. */
@Path("search")
public class SearchResource {

  @Inject Catalog catalog;

  @GET
  @Produces(MediaType.APPLICATION_JSON)
  public Items search(@QueryParam("q") String keyword) {
    return catalog.cheapest(Parameters.keyword(keyword));
  }
}

package steelyard.shop.rest;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Parameters;
import steelyard.shop.jpa.Catalog;

/** Items by their ids. */
@Path("items")
@Produces(MediaType.APPLICATION_JSON)
public class ItemResource {

  @Inject Catalog catalog;

  @GET
  @Path("{id}")
  public Item item(@PathParam("id") String id) {
    return catalog.item(Parameters.id(id));
  }

  @GET
  public Items items(@QueryParam("ids") String ids) {
    return catalog.items(Parameters.ids(ids));
  }
}

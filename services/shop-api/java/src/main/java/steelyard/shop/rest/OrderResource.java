package steelyard.shop.rest;

import jakarta.inject.Inject;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.net.URI;
import steelyard.shop.Counts;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Parameters;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Transactions;
import steelyard.shop.jpa.Orders;

/** Orders: places them, and answers them by their ids. */
@Path("orders")
@Produces(MediaType.APPLICATION_JSON)
public class OrderResource {

  @Inject Orders orders;
  @Inject Counts counts;
  @Context UriInfo request;

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response placeOrder(@NotNull @Valid OrderRequest wanted) {
    Order placed = Transactions.repeated(() -> orders.place(wanted));
    counts.addAccepted();
    URI address = request.getAbsolutePathBuilder().path(Long.toString(placed.id())).build();
    return Response.created(address)
        .entity(new PlacedOrder(placed.customer(), placed.lines()))
        .build();
  }

  @GET
  @Path("{id}")
  public Order order(@PathParam("id") String id) {
    return orders.order(Parameters.id(id));
  }
}

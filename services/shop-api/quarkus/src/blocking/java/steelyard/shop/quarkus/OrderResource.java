package steelyard.shop.quarkus;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;
import org.jboss.resteasy.reactive.RestPath;
import steelyard.shop.Counts;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Parameters;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.Transactions;

@Path("/shop/orders")
@Produces(MediaType.APPLICATION_JSON)
public class OrderResource {

  private final OrderService service;
  private final OrderRepository orders;
  private final Counts counts;

  OrderResource(OrderService service, OrderRepository orders, Counts counts) {
    this.service = service;
    this.orders = orders;
    this.counts = counts;
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response place(@NotNull @Valid OrderRequest request) {
    Order order = Transactions.repeated(() -> service.place(request));
    counts.addAccepted();
    return Response.created(URI.create("/shop/orders/" + order.id()))
        .entity(new PlacedOrder(order.customer(), order.lines()))
        .build();
  }

  @GET
  @Path("{id}")
  public Order order(@RestPath String id) {
    return orders
        .findWithLines(Parameters.id(id))
        .map(OrderEntity::toOrder)
        .orElseThrow(() -> new RefusalException(Refusal.NOT_FOUND));
  }
}

package steelyard.shop.micronaut;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import jakarta.validation.Valid;
import java.net.URI;
import steelyard.shop.Counts;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Parameters;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Transactions;

/** Takes and answers with orders. */
@Controller("/shop/orders")
@ExecuteOn(TaskExecutors.BLOCKING)
class OrderController {

  private final OrderService orders;
  private final Counts counts;

  OrderController(OrderService orders, Counts counts) {
    this.orders = orders;
    this.counts = counts;
  }

  @Post
  HttpResponse<PlacedOrder> place(@Body @Valid OrderRequest request) {
    Order order =
        Transactions.repeated(() -> orders.place(request.customer(), request.linesByItem()));
    counts.addAccepted();
    return HttpResponse.created(
        new PlacedOrder(order.customer(), order.lines(), order.totalCents()),
        URI.create("/shop/orders/" + order.id()));
  }

  @Get("/{id}")
  Order order(String id) {
    return orders.find(Parameters.id(id));
  }
}

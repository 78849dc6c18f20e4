package steelyard.shop.spring.orders;

import jakarta.validation.Valid;
import java.net.URI;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import steelyard.shop.Counts;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Parameters;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.Transactions;

/** Orders for who places or looks at them. */
@RestController
@RequestMapping("/shop/orders")
class OrderController {

  private final Orders orders;
  private final Counts counts;

  OrderController(Orders orders, Counts counts) {
    this.orders = orders;
    this.counts = counts;
  }

  @PostMapping
  ResponseEntity<PlacedOrder> place(@Valid @RequestBody OrderRequest request) {
    Orders.Accepted accepted = Transactions.repeated(() -> orders.place(request));
    counts.addAccepted();
    return ResponseEntity.created(URI.create("/shop/orders/" + accepted.id()))
        .body(accepted.order());
  }

  @GetMapping("/{id}")
  Order order(@PathVariable String id) {
    return orders
        .find(Parameters.id(id))
        .orElseThrow(() -> new RefusalException(Refusal.NOT_FOUND));
  }
}

package steelyard.shop.quarkus;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.util.List;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Places orders with Hibernate ORM. */
@ApplicationScoped
public class OrderService {

  private final ItemRepository items;
  private final OrderRepository orders;

  OrderService(ItemRepository items, OrderRepository orders) {
    this.items = items;
    this.orders = orders;
  }

  /** Keeps an order and takes its items from the stock, or does neither. */
  @Transactional
  public Order place(OrderRequest request) {
    List<OrderRequest.Line> wanted = request.linesByItem();
    for (OrderRequest.Line line : wanted) {
      if (!items.takeStock(line.item(), line.quantity())) {
        throw new RefusalException(Refusal.OUT_OF_STOCK);
      }
    }
    // All of them are there, and locked until the commit: one query has their names and prices.
    List<ItemEntity> taken = items.listByIds(wanted.stream().map(OrderRequest.Line::item).toList());
    var order = new OrderEntity(request.customer(), wanted, taken);
    orders.persist(order);
    return order.toOrder();
  }
}

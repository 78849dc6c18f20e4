package steelyard.shop.spring.orders;

import java.util.Optional;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.PlacedOrder;

/** The orders of the shop. */
public interface Orders {

  /**
   * Keeps a valid order and takes its items from the stock, or does neither.
   *
   * @throws steelyard.shop.RefusalException where an item is ordered twice or out of stock
   */
  Accepted place(OrderRequest request);

  Optional<Order> find(long id);

  /** An order that is kept. */
  record Accepted(long id, PlacedOrder order) {}
}

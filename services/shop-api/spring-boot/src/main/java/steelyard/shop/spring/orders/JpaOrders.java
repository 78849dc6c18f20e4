package steelyard.shop.spring.orders;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.spring.items.ItemEntity;
import steelyard.shop.spring.items.ItemRepository;

/** The orders by Spring Data JPA. */
@Service
@Profile("jpa")
class JpaOrders implements Orders {

  private final ItemRepository items;
  private final OrderRepository orders;

  JpaOrders(ItemRepository items, OrderRepository orders) {
    this.items = items;
    this.orders = orders;
  }

  @Override
  @Transactional
  public Accepted place(OrderRequest request) {
    List<OrderRequest.Line> wanted = request.linesByItem();
    for (OrderRequest.Line line : wanted) {
      if (items.takeStock(line.item(), line.quantity()) == 0) {
        throw new RefusalException(Refusal.OUT_OF_STOCK);
      }
    }
    // All of them are there, and locked until the commit: one query has their names and prices.
    List<ItemEntity> taken =
        items.findByIdInOrderById(wanted.stream().map(OrderRequest.Line::item).toList());
    List<LineOfOrder> lines = new ArrayList<>(wanted.size());
    for (int i = 0; i < wanted.size(); i++) {
      lines.add(new LineOfOrder(taken.get(i), wanted.get(i).quantity()));
    }
    OrderEntity order = orders.save(new OrderEntity(request.customer(), lines));
    return new Accepted(order.getId(), order.toPlacedOrder());
  }

  @Override
  @Transactional(readOnly = true)
  public Optional<Order> find(long id) {
    return orders.findWithLines(id).map(OrderEntity::toOrder);
  }
}

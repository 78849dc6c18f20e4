package steelyard.shop.quarkus;

import io.quarkus.hibernate.reactive.panache.common.WithTransaction;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Places orders with Hibernate Reactive. */
@ApplicationScoped
public class OrderService {

  private final ItemRepository items;
  private final OrderRepository orders;

  OrderService(ItemRepository items, OrderRepository orders) {
    this.items = items;
    this.orders = orders;
  }

  /** Keeps an order and takes its items from the stock, or does neither. */
  @WithTransaction
  public Uni<Order> place(OrderRequest request) {
    List<OrderRequest.Line> wanted = request.linesByItem();
    List<Long> ids = wanted.stream().map(OrderRequest.Line::item).toList();
    // Once all of them are there, and locked until the commit, one query has their names and
    // prices.
    return takeAll(wanted)
        .chain(() -> items.listByIds(ids))
        .map(taken -> new OrderEntity(request.customer(), wanted, taken))
        .call(orders::persist)
        .map(OrderEntity::toOrder);
  }

  private Uni<Void> takeAll(List<OrderRequest.Line> wanted) {
    return Multi.createFrom()
        .iterable(wanted)
        .onItem()
        .transformToUniAndConcatenate(line -> items.takeStock(line.item(), line.quantity()))
        .invoke(
            isTaken -> {
              if (!isTaken) {
                throw new RefusalException(Refusal.OUT_OF_STOCK);
              }
            })
        .collect()
        .last()
        .replaceWithVoid();
  }
}

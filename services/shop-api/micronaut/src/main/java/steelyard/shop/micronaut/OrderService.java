package steelyard.shop.micronaut;

import io.micronaut.transaction.annotation.Transactional;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.micronaut.OrderRepository.NamedLine;

/** Places and finds orders. */
@Singleton
class OrderService {

  private final OrderRepository orders;
  private final LineRepository lines;
  private final StockRepository stock;

  OrderService(OrderRepository orders, LineRepository lines, StockRepository stock) {
    this.orders = orders;
    this.lines = lines;
    this.stock = stock;
  }

  /**
   * Keeps an order and takes its items from the stock, or does neither. All orders lock items in
   * the order of their ids.
   *
   * @throws RefusalException OUT_OF_STOCK where there are not enough of an item
   */
  @Transactional
  Order place(String customer, List<OrderRequest.Line> wanted) {
    long id = orders.save(new StoredOrder(null, customer)).id();
    List<OrderLine> taken = new ArrayList<>(wanted.size());
    List<StoredLine> kept = new ArrayList<>(wanted.size());
    for (OrderRequest.Line line : wanted) {
      StockedItem item = stock.take(line.item(), line.quantity());
      if (item == null) {
        throw new RefusalException(Refusal.OUT_OF_STOCK);
      }
      taken.add(new OrderLine(item.id(), item.name(), line.quantity(), item.priceCents()));
      kept.add(new StoredLine(id, taken.size(), item.id(), line.quantity(), item.priceCents()));
    }
    lines.insertAll(kept);
    return new Order(id, customer, taken);
  }

  /**
   * An order with its lines.
   *
   * @throws RefusalException NOT_FOUND where there is none with this id
   */
  Order find(long id) {
    List<NamedLine> found = orders.findLines(id);
    if (found.isEmpty()) {
      throw new RefusalException(Refusal.NOT_FOUND);
    }
    List<OrderLine> named =
        found.stream()
            .map(row -> new OrderLine(row.itemId(), row.name(), row.quantity(), row.priceCents()))
            .toList();
    return new Order(id, found.get(0).customer(), named);
  }
}

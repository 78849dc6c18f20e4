package steelyard.shop.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import java.util.ArrayList;
import java.util.List;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Places orders and reads them. */
public class Orders {

  @PersistenceContext protected EntityManager entities;

  /**
   * Keeps an order and takes its items from the stock, or does neither. An item's row is locked
   * from the check of its stock to the end of the transaction.
   *
   * @throws RefusalException OUT_OF_STOCK where an item is unknown or less of it is in stock;
   *     NOT_VALID where two lines have the same item
   */
  @Transactional
  public Order place(OrderRequest request) {
    List<OrderRequest.Line> wanted = request.linesByItem();
    StoredOrder order = new StoredOrder(request.customer());
    entities.persist(order);
    entities.flush(); // the order has its id now
    List<OrderLine> lines = new ArrayList<>(wanted.size());
    for (OrderRequest.Line line : wanted) {
      StoredItem item = take(line);
      StoredLine stored = new StoredLine(order, lines.size() + 1, item, line.quantity());
      entities.persist(stored);
      lines.add(stored.toOrderLine());
    }
    return new Order(order.id(), order.customer(), lines);
  }

  private StoredItem take(OrderRequest.Line wanted) {
    StoredItem item =
        entities.find(StoredItem.class, wanted.item(), LockModeType.PESSIMISTIC_WRITE);
    if (item == null || !item.take(wanted.quantity())) {
      throw new RefusalException(Refusal.OUT_OF_STOCK);
    }
    return item;
  }

  /**
   * An order by its id, in one query.
   *
   * @throws RefusalException NOT_FOUND where there is none
   */
  public Order order(long id) {
    List<StoredLine> found =
        entities
            .createQuery(
                "SELECT l FROM StoredLine l JOIN FETCH l.ofOrder JOIN FETCH l.item"
                    + " WHERE l.orderId = :id ORDER BY l.lineNumber",
                StoredLine.class)
            .setParameter("id", id)
            .getResultList();
    if (found.isEmpty()) {
      throw new RefusalException(Refusal.NOT_FOUND);
    }
    List<OrderLine> lines = found.stream().map(StoredLine::toOrderLine).toList();
    return new Order(id, found.get(0).customer(), lines);
  }
}

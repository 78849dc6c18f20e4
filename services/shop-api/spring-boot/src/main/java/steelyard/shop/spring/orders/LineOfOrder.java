package steelyard.shop.spring.orders;

import jakarta.persistence.Embeddable;
import jakarta.persistence.FetchType;
import jakarta.persistence.ManyToOne;
import steelyard.shop.OrderLine;
import steelyard.shop.spring.items.ItemEntity;

/** A row of the table order_line. */
@Embeddable
class LineOfOrder {

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private ItemEntity item;

  private long quantity;
  private long priceCents;

  protected LineOfOrder() {}

  LineOfOrder(ItemEntity item, long quantity) {
    this.item = item;
    this.quantity = quantity;
    this.priceCents = item.getPriceCents();
  }

  OrderLine toOrderLine() {
    return new OrderLine(item.getId(), item.getName(), quantity, priceCents);
  }
}

package steelyard.shop.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.util.Objects;
import steelyard.shop.OrderLine;

/** A row of the table of order lines. */
@Entity
@Table(name = "order_line")
@IdClass(StoredLine.Key.class)
public class StoredLine {

  @Id
  @Column(name = "order_id")
  private long orderId;

  @Id
  @Column(name = "line_number")
  private int lineNumber;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "order_id", insertable = false, updatable = false)
  private StoredOrder ofOrder;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "item_id")
  private StoredItem item;

  private long quantity;

  @Column(name = "price_cents")
  private long priceCents;

  protected StoredLine() {}

  StoredLine(StoredOrder ofOrder, int lineNumber, StoredItem item, long quantity) {
    this.orderId = ofOrder.id();
    this.lineNumber = lineNumber;
    this.ofOrder = ofOrder;
    this.item = item;
    this.quantity = quantity;
    this.priceCents = item.priceCents();
  }

  String customer() {
    return ofOrder.customer();
  }

  OrderLine toOrderLine() {
    return new OrderLine(item.id(), item.name(), quantity, priceCents);
  }

  /** The primary key, in the form that Jakarta Persistence asks for. */
  public static class Key implements Serializable {

    private static final long serialVersionUID = 1;

    private long orderId;
    private int lineNumber;

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.orderId == orderId && key.lineNumber == lineNumber;
    }

    @Override
    public int hashCode() {
      return Objects.hash(orderId, lineNumber);
    }
  }
}

package steelyard.shop.quarkus;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import java.io.Serializable;
import steelyard.shop.OrderLine;

/** A line of an order, with the price that its item had. */
@Entity
@Table(name = "order_line")
@IdClass(OrderLineEntity.Key.class)
public class OrderLineEntity {

  /** The order's id and the line's number, from 1. */
  public record Key(Long order, Integer number) implements Serializable {}

  @Id
  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "order_id")
  private OrderEntity order;

  @Id
  @Column(name = "line_number")
  private Integer number;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "item_id")
  private ItemEntity item;

  private long quantity;

  @Column(name = "price_cents")
  private long priceCents;

  protected OrderLineEntity() {}

  OrderLineEntity(OrderEntity order, int number, ItemEntity item, long quantity) {
    this.order = order;
    this.number = number;
    this.item = item;
    this.quantity = quantity;
    this.priceCents = item.priceCents();
  }

  OrderLine toOrderLine() {
    return new OrderLine(item.id(), item.name(), quantity, priceCents);
  }
}

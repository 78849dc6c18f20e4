package steelyard.shop.spring.orders;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.Table;
import java.util.List;
import org.hibernate.annotations.ListIndexBase;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.PlacedOrder;

/** A row of the table orders, with its lines. */
@Entity
@Table(name = "orders")
class OrderEntity {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private String customer;

  @ElementCollection
  @CollectionTable(name = "order_line", joinColumns = @JoinColumn(name = "order_id"))
  @OrderColumn(name = "line_number")
  @ListIndexBase(1)
  private List<LineOfOrder> lines;

  protected OrderEntity() {}

  OrderEntity(String customer, List<LineOfOrder> lines) {
    this.customer = customer;
    this.lines = lines;
  }

  Long getId() {
    return id;
  }

  PlacedOrder toPlacedOrder() {
    return new PlacedOrder(customer, toOrderLines());
  }

  Order toOrder() {
    return new Order(id, customer, toOrderLines());
  }

  private List<OrderLine> toOrderLines() {
    return lines.stream().map(LineOfOrder::toOrderLine).toList();
  }
}

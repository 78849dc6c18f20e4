package steelyard.shop.quarkus;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;

/** A row of the table orders, with its lines. */
@Entity
@Table(name = "orders")
public class OrderEntity {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private String customer;

  @OneToMany(mappedBy = "order", cascade = CascadeType.PERSIST)
  @OrderBy("number")
  private List<OrderLineEntity> lines = new ArrayList<>();

  protected OrderEntity() {}

  /** A new order. The item of each wanted line has the same index in {@code items}. */
  OrderEntity(String customer, List<OrderRequest.Line> wanted, List<ItemEntity> items) {
    this.customer = customer;
    for (int i = 0; i < wanted.size(); i++) {
      lines.add(new OrderLineEntity(this, i + 1, items.get(i), wanted.get(i).quantity()));
    }
  }

  List<OrderLine> toLines() {
    return lines.stream().map(OrderLineEntity::toOrderLine).toList();
  }

  /** With its id, which the database gives it. */
  Order toOrder() {
    return new Order(id, customer, toLines());
  }
}

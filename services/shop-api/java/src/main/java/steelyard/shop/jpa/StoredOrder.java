package steelyard.shop.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A row of the table of orders. */
@Entity
@Table(name = "orders")
public class StoredOrder {

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private Long id;

  private String customer;

  protected StoredOrder() {}

  StoredOrder(String customer) {
    this.customer = customer;
  }

  long id() {
    return id;
  }

  String customer() {
    return customer;
  }
}

package example.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** What lies in the shop. */
@Entity(name = "Item")
@Table(name = "stock")
class Item {
  @Id @GeneratedValue Long id;
}

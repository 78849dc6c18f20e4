package steelyard.shop.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import steelyard.shop.Item;

/** A row of the table of items. Only its stock changes. */
@Entity
@Table(name = "item")
public class StoredItem {

  @Id private long id;

  @Column(updatable = false)
  private String name;

  @Column(updatable = false)
  private String keyword;

  @Column(name = "price_cents", updatable = false)
  private long priceCents;

  @Column(updatable = false)
  private String description;

  private long stock;

  protected StoredItem() {}

  StoredItem(Item item, long stock) {
    this.id = item.id();
    this.name = item.name();
    this.keyword = item.keyword();
    this.priceCents = item.priceCents();
    this.description = item.description();
    this.stock = stock;
  }

  long id() {
    return id;
  }

  String name() {
    return name;
  }

  long priceCents() {
    return priceCents;
  }

  long stock() {
    return stock;
  }

  /** Takes some from the stock, or does nothing where less is in stock. */
  boolean take(long quantity) {
    if (stock < quantity) {
      return false;
    }
    stock -= quantity;
    return true;
  }

  Item toItem() {
    return new Item(id, name, keyword, priceCents, description);
  }
}

package steelyard.shop.quarkus;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import steelyard.shop.Item;

/** A row of the table item. */
@Entity
@Table(name = "item")
public class ItemEntity {

  @Id private Long id;
  private String name;
  private String keyword;

  @Column(name = "price_cents")
  private long priceCents;

  private String description;
  private long stock;

  protected ItemEntity() {}

  ItemEntity(Item item, long stock) {
    this.id = item.id();
    this.name = item.name();
    this.keyword = item.keyword();
    this.priceCents = item.priceCents();
    this.description = item.description();
    this.stock = stock;
  }

  Long id() {
    return id;
  }

  String name() {
    return name;
  }

  long priceCents() {
    return priceCents;
  }

  Item toItem() {
    return new Item(id, name, keyword, priceCents, description);
  }
}

package steelyard.shop.spring.items;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import steelyard.shop.Item;

/** A row of the table item. */
@Entity
@Table(name = "item")
public class ItemEntity {

  @Id private long id;
  private String name;
  private String keyword;
  private long priceCents;
  private String description;
  private long stock;

  protected ItemEntity() {}

  public long getId() {
    return id;
  }

  public String getName() {
    return name;
  }

  public long getPriceCents() {
    return priceCents;
  }

  Item toItem() {
    return new Item(id, name, keyword, priceCents, description);
  }
}

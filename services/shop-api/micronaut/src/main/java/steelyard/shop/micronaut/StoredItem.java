package steelyard.shop.micronaut;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import steelyard.shop.Item;

/** An item in the database, without its stock. */
@MappedEntity("item")
record StoredItem(@Id Long id, String name, String keyword, long priceCents, String description) {

  Item toItem() {
    return new Item(id, name, keyword, priceCents, description);
  }
}

package steelyard.shop.micronaut;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Parameters;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Answers with items. */
@Controller("/shop")
@ExecuteOn(TaskExecutors.BLOCKING)
class ItemController {

  private final ItemRepository items;

  ItemController(ItemRepository items) {
    this.items = items;
  }

  @Get("/items/{id}")
  Item item(String id) {
    return items
        .findById(Parameters.id(id))
        .map(StoredItem::toItem)
        .orElseThrow(() -> new RefusalException(Refusal.NOT_FOUND));
  }

  @Get("/items")
  Items items(@Nullable @QueryValue String ids) {
    return list(items.findByIdInOrderById(Parameters.ids(ids)));
  }

  @Get("/search")
  Items search(@Nullable @QueryValue String q) {
    return list(items.findTop10ByKeywordOrderByPriceCentsAndId(Parameters.keyword(q)));
  }

  private static Items list(List<StoredItem> stored) {
    return new Items(stored.stream().map(StoredItem::toItem).toList());
  }
}

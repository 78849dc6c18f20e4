package steelyard.shop.spring.items;

import java.util.List;
import java.util.Optional;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import steelyard.shop.Item;

/** The items by Spring Data JPA; each call of the repository is a transaction that only reads. */
@Service
@Profile("jpa")
class JpaCatalogue implements Catalogue {

  private final ItemRepository items;

  JpaCatalogue(ItemRepository items) {
    this.items = items;
  }

  @Override
  public Optional<Item> find(long id) {
    return items.findById(id).map(ItemEntity::toItem);
  }

  @Override
  public List<Item> findAll(List<Long> ids) {
    return items.findByIdInOrderById(ids).stream().map(ItemEntity::toItem).toList();
  }

  @Override
  public List<Item> findCheapest(String keyword) {
    return items.findTop10ByKeywordOrderByPriceCentsAscIdAsc(keyword).stream()
        .map(ItemEntity::toItem)
        .toList();
  }
}

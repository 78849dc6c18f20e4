package steelyard.shop.spring.items;

import java.util.List;
import java.util.Optional;
import steelyard.shop.Item;

/** The items of the shop. */
public interface Catalogue {

  Optional<Item> find(long id);

  /** Those of the ids that there are, by ascending id. */
  List<Item> findAll(List<Long> ids);

  /** The ten cheapest with exactly this keyword, by price and id. */
  List<Item> findCheapest(String keyword);
}

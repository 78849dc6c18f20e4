package steelyard.shop.jpa;

import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import java.util.List;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Reads items. */
public class Catalog {

  private static final int MOST_FOUND = 10;

  @PersistenceContext EntityManager entities;

  /**
   * An item by its id.
   *
   * @throws RefusalException NOT_FOUND where there is none
   */
  public Item item(long id) {
    StoredItem found = entities.find(StoredItem.class, id);
    if (found == null) {
      throw new RefusalException(Refusal.NOT_FOUND);
    }
    return found.toItem();
  }

  /** Those items that there are, by id. */
  public Items items(List<Long> ids) {
    return toItems(
        entities
            .createQuery(
                "SELECT i FROM StoredItem i WHERE i.id IN :ids ORDER BY i.id", StoredItem.class)
            .setParameter("ids", ids)
            .getResultList());
  }

  /** The ten cheapest items of a keyword, by price and id. */
  public Items cheapest(String keyword) {
    return toItems(
        entities
            .createQuery(
                "SELECT i FROM StoredItem i WHERE i.keyword = :keyword"
                    + " ORDER BY i.priceCents, i.id",
                StoredItem.class)
            .setParameter("keyword", keyword)
            .setMaxResults(MOST_FOUND)
            .getResultList());
  }

  private static Items toItems(List<StoredItem> found) {
    return new Items(found.stream().map(StoredItem::toItem).toList());
  }
}

package steelyard.shop.spring.items;

import java.util.Collection;
import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

/** Queries of items with Spring Data JPA. */
public interface ItemRepository extends JpaRepository<ItemEntity, Long> {

  List<ItemEntity> findByIdInOrderById(Collection<Long> ids);

  List<ItemEntity> findTop10ByKeywordOrderByPriceCentsAscIdAsc(String keyword);

  /** Takes so many of an item; 0 where there is no such item, or less in stock. */
  @Modifying
  @Query(
      "update ItemEntity item set item.stock = item.stock - :quantity"
          + " where item.id = :id and item.stock >= :quantity")
  int takeStock(long id, long quantity);
}

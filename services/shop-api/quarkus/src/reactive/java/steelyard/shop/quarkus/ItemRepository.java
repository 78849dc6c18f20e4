package steelyard.shop.quarkus;

import io.quarkus.hibernate.reactive.panache.PanacheRepository;
import io.quarkus.panache.common.Page;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Queries of items with Hibernate Reactive. */
@ApplicationScoped
public class ItemRepository implements PanacheRepository<ItemEntity> {

  private static final Page TEN = Page.ofSize(10);

  Uni<List<ItemEntity>> listByIds(List<Long> ids) {
    return list("id in ?1 order by id", ids);
  }

  Uni<List<ItemEntity>> findCheapest(String keyword) {
    return find("keyword = ?1 order by priceCents, id", keyword).page(TEN).list();
  }

  /** Takes so many of an item; false where there is no such item, or less in stock. */
  Uni<Boolean> takeStock(long id, long quantity) {
    return update("stock = stock - ?1 where id = ?2 and stock >= ?1", quantity, id)
        .map(rows -> rows == 1);
  }
}

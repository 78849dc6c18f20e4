package steelyard.shop.micronaut;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;

/** Takes items from the stock. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface StockRepository extends GenericRepository<StockedItem, Long> {

  /** Takes so many of an item; null where there are fewer. */
  @Query(
      "UPDATE item SET stock = stock - :quantity WHERE id = :id AND stock >= :quantity"
          + " RETURNING id, name, price_cents")
  @Nullable
  StockedItem take(Long id, long quantity);
}

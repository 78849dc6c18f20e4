package steelyard.shop.micronaut;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;

/** Keeps and finds orders. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface OrderRepository extends GenericRepository<StoredOrder, Long> {

  /** Inserts an order; the answer has its id. */
  StoredOrder save(StoredOrder order);

  /**
   * The lines of an order, each with its customer and its item's name; none where there is no such
   * order.
   */
  @Query(
      "SELECT customer, item_id, name, quantity, order_line.price_cents FROM orders"
          + " JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id"
          + " WHERE orders.id = :id ORDER BY line_number")
  List<NamedLine> findLines(Long id);

  /** A row of {@link #findLines}. */
  @Introspected
  record NamedLine(String customer, long itemId, String name, long quantity, long priceCents) {}
}

package steelyard.shop.micronaut;

import io.micronaut.data.annotation.Query;
import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;

/** Keeps the lines of orders. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface LineRepository extends GenericRepository<StoredLine, Long> {

  /** Inserts lines as one batch. */
  @Query(
      "INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents)"
          + " VALUES (:orderId, :lineNumber, :itemId, :quantity, :priceCents)")
  void insertAll(List<StoredLine> lines);
}

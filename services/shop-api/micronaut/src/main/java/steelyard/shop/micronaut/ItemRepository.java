package steelyard.shop.micronaut;

import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.GenericRepository;
import java.util.List;
import java.util.Optional;

/** Queries of items, which Micronaut Data writes at compile time. */
@JdbcRepository(dialect = Dialect.POSTGRES)
interface ItemRepository extends GenericRepository<StoredItem, Long> {

  Optional<StoredItem> findById(Long id);

  List<StoredItem> findByIdInOrderById(List<Long> ids);

  List<StoredItem> findTop10ByKeywordOrderByPriceCentsAndId(String keyword);
}

package steelyard.shop.spring.items;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import steelyard.shop.Item;
import steelyard.shop.Sql;

/** The items by SQL. */
@Service
@Profile("jdbc")
class JdbcCatalogue implements Catalogue {

  private final JdbcClient jdbc;

  JdbcCatalogue(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  @Override
  public Optional<Item> find(long id) {
    return jdbc.sql(Sql.ITEM).param(id).query(JdbcCatalogue::item).optional();
  }

  @Override
  public List<Item> findAll(List<Long> ids) {
    long[] wanted = ids.stream().mapToLong(Long::longValue).toArray();
    return jdbc.sql(Sql.ITEMS).param(wanted).query(JdbcCatalogue::item).list();
  }

  @Override
  public List<Item> findCheapest(String keyword) {
    return jdbc.sql(Sql.CHEAPEST_OF_KEYWORD).param(keyword).query(JdbcCatalogue::item).list();
  }

  private static Item item(ResultSet row, int number) throws SQLException {
    return new Item(
        row.getLong("id"),
        row.getString("name"),
        row.getString("keyword"),
        row.getLong("price_cents"),
        row.getString("description"));
  }
}

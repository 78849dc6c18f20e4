package steelyard.shop.vertx;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlResult;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.stream.Collectors;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** The items in the database. */
final class StoredItems {

  private static final String ITEM =
      "SELECT id, name, keyword, price_cents, description FROM item ";
  private static final String BY_ID = ITEM + "WHERE id = $1";
  private static final String BY_IDS = ITEM + "WHERE id = ANY($1) ORDER BY id";
  private static final String CHEAPEST_OF_KEYWORD =
      ITEM + "WHERE keyword = $1 ORDER BY price_cents, id LIMIT 10";

  private final Pool database;

  StoredItems(Pool database) {
    this.database = database;
  }

  /** An item; fails with NOT_FOUND where there is none. */
  Future<Item> item(long id) {
    return database
        .preparedQuery(BY_ID)
        .mapping(StoredItems::item)
        .execute(Tuple.of(id))
        .map(
            rows -> {
              RowIterator<Item> found = rows.iterator();
              if (!found.hasNext()) {
                throw new RefusalException(Refusal.NOT_FOUND);
              }
              return found.next();
            });
  }

  /** Those items that there are, by id. */
  Future<Items> items(List<Long> ids) {
    return list(BY_IDS, Tuple.tuple().addArrayOfLong(ids.toArray(Long[]::new)));
  }

  /** The ten cheapest items of a keyword. */
  Future<Items> cheapest(String keyword) {
    return list(CHEAPEST_OF_KEYWORD, Tuple.of(keyword));
  }

  private Future<Items> list(String query, Tuple values) {
    return database
        .preparedQuery(query)
        .collecting(Collectors.mapping(StoredItems::item, Collectors.toList()))
        .execute(values)
        .map(SqlResult::value)
        .map(Items::new);
  }

  private static Item item(Row row) {
    return new Item(
        row.getLong(0), row.getString(1), row.getString(2), row.getLong(3), row.getString(4));
  }
}

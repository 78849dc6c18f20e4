package steelyard.shop.helidon;

import io.helidon.dbclient.DbClient;
import io.helidon.dbclient.DbRow;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.stream.Stream;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Parameters;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.Sql;

/** Answers with items. */
final class ItemService implements HttpService {

  private final DbClient database;

  ItemService(DbClient database) {
    this.database = database;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.get("/", this::items).get("/{id}", this::item);
  }

  private void item(ServerRequest request, ServerResponse response) {
    long id = Parameters.id(request.path().pathParameters().get("id"));
    Item item =
        database
            .execute()
            .createGet(Sql.ITEM)
            .addParam(id)
            .execute()
            .map(ItemService::itemOf)
            .orElseThrow(() -> new RefusalException(Refusal.NOT_FOUND));
    response.send(item);
  }

  private void items(ServerRequest request, ServerResponse response) {
    Long[] ids = Parameters.ids(first(request, "ids")).toArray(Long[]::new);
    response.send(list(Sql.ITEMS, ids));
  }

  void search(ServerRequest request, ServerResponse response) {
    response.send(list(Sql.CHEAPEST_OF_KEYWORD, Parameters.keyword(first(request, "q"))));
  }

  /** The items that a query of one argument finds. */
  private Items list(String query, Object argument) {
    try (Stream<DbRow> rows = database.execute().createQuery(query).addParam(argument).execute()) {
      return new Items(rows.map(ItemService::itemOf).toList());
    }
  }

  /** A parameter of the query, null where there is none. */
  private static String first(ServerRequest request, String name) {
    return request.query().first(name).orElse(null);
  }

  private static Item itemOf(DbRow row) {
    return new Item(
        row.column("id").getLong(),
        row.column("name").getString(),
        row.column("keyword").getString(),
        row.column("price_cents").getLong(),
        row.column("description").getString());
  }
}

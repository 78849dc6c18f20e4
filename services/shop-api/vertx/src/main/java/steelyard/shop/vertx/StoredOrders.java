package steelyard.shop.vertx;

import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** The orders in the database. */
final class StoredOrders {

  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String INSERT_ORDER =
      "INSERT INTO orders (customer) VALUES ($1) RETURNING id";
  private static final String TAKE_STOCK =
      "UPDATE item SET stock = stock - $2 WHERE id = $1 AND stock >= $2"
          + " RETURNING name, price_cents";
  private static final String INSERT_LINE =
      "INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents)"
          + " VALUES ($1, $2, $3, $4, $5)";
  private static final String LINES_OF_ORDER =
      "SELECT item_id, name, quantity, order_line.price_cents, customer FROM orders"
          + " JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id"
          + " WHERE orders.id = $1 ORDER BY line_number";

  private final Pool database;

  StoredOrders(Pool database) {
    this.database = database;
  }

  /** An order that was kept, with the id that it got. */
  record Placed(long id, PlacedOrder order) {}

  /**
   * Keeps an order and takes its items from the stock, or fails with OUT_OF_STOCK. It begins again
   * as often as PostgreSQL ends the transaction for its isolation.
   */
  Future<Placed> place(OrderRequest request) {
    return placeOnce(request)
        .recover(failure -> isOvertaken(failure) ? place(request) : Future.failedFuture(failure));
  }

  private static boolean isOvertaken(Throwable failure) {
    return failure instanceof PgException ended
        && SERIALIZATION_FAILURE.equals(ended.getSqlState());
  }

  private Future<Placed> placeOnce(OrderRequest request) {
    List<OrderRequest.Line> wanted = request.linesByItem();
    return database.withTransaction(
        connection ->
            insert(connection, request.customer())
                .compose(
                    id ->
                        take(connection, wanted)
                            .compose(
                                lines ->
                                    insertLines(connection, id, lines)
                                        .map(
                                            new Placed(
                                                id, new PlacedOrder(request.customer(), lines))))));
  }

  private static Future<Long> insert(SqlConnection connection, String customer) {
    return connection
        .preparedQuery(INSERT_ORDER)
        .execute(Tuple.of(customer))
        .map(rows -> rows.iterator().next().getLong(0));
  }

  /** Takes one line after the other, so that items are locked in the order of the lines. */
  private static Future<List<OrderLine>> take(
      SqlConnection connection, List<OrderRequest.Line> wanted) {
    List<OrderLine> lines = new ArrayList<>(wanted.size());
    Future<List<OrderLine>> taken = Future.succeededFuture(lines);
    for (OrderRequest.Line line : wanted) {
      taken =
          taken
              .compose(before -> take(connection, line))
              .map(
                  one -> {
                    lines.add(one);
                    return lines;
                  });
    }
    return taken;
  }

  private static Future<OrderLine> take(SqlConnection connection, OrderRequest.Line wanted) {
    return connection
        .preparedQuery(TAKE_STOCK)
        .execute(Tuple.of(wanted.item(), wanted.quantity()))
        .map(
            rows -> {
              RowIterator<Row> updated = rows.iterator();
              if (!updated.hasNext()) {
                throw new RefusalException(Refusal.OUT_OF_STOCK);
              }
              Row item = updated.next();
              return new OrderLine(
                  wanted.item(), item.getString(0), wanted.quantity(), item.getLong(1));
            });
  }

  private static Future<Void> insertLines(
      SqlConnection connection, long order, List<OrderLine> lines) {
    List<Tuple> rows = new ArrayList<>(lines.size());
    for (OrderLine line : lines) {
      rows.add(Tuple.of(order, rows.size() + 1, line.item(), line.quantity(), line.priceCents()));
    }
    return connection.preparedQuery(INSERT_LINE).executeBatch(rows).mapEmpty();
  }

  /** An order with its lines; fails with NOT_FOUND where there is none. */
  Future<Order> order(long id) {
    return database
        .preparedQuery(LINES_OF_ORDER)
        .execute(Tuple.of(id))
        .map(
            rows -> {
              String customer = null;
              List<OrderLine> lines = new ArrayList<>(rows.size());
              for (Row row : rows) {
                customer = row.getString(4);
                lines.add(
                    new OrderLine(
                        row.getLong(0), row.getString(1), row.getLong(2), row.getLong(3)));
              }
              if (lines.isEmpty()) {
                throw new RefusalException(Refusal.NOT_FOUND);
              }
              return new Order(id, customer, lines);
            });
  }
}

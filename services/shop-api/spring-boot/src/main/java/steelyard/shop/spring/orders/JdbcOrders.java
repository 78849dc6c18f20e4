package steelyard.shop.spring.orders;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.Sql;

/** The orders by SQL. */
@Service
@Profile("jdbc")
class JdbcOrders implements Orders {

  private final JdbcClient jdbc;
  private final JdbcTemplate batches;

  JdbcOrders(JdbcClient jdbc, JdbcTemplate batches) {
    this.jdbc = jdbc;
    this.batches = batches;
  }

  @Override
  @Transactional
  public Accepted place(OrderRequest request) {
    List<OrderRequest.Line> wanted = request.linesByItem();
    long id = jdbc.sql(Sql.INSERT_ORDER).param(request.customer()).query(Long.class).single();
    List<OrderLine> lines = new ArrayList<>(wanted.size());
    List<Object[]> rows = new ArrayList<>(wanted.size());
    for (OrderRequest.Line each : wanted) {
      OrderLine line = take(each.item(), each.quantity());
      lines.add(line);
      rows.add(new Object[] {id, lines.size(), line.item(), line.quantity(), line.priceCents()});
    }
    batches.batchUpdate(Sql.INSERT_LINE, rows);
    return new Accepted(id, new PlacedOrder(request.customer(), lines));
  }

  private OrderLine take(long item, long quantity) {
    return jdbc.sql(Sql.TAKE_STOCK)
        .params(quantity, item, quantity)
        .query(
            (row, number) ->
                new OrderLine(item, row.getString("name"), quantity, row.getLong("price_cents")))
        .optional()
        .orElseThrow(() -> new RefusalException(Refusal.OUT_OF_STOCK));
  }

  @Override
  public Optional<Order> find(long id) {
    List<Row> rows = jdbc.sql(Sql.LINES_OF_ORDER).param(id).query(JdbcOrders::row).list();
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Order(id, rows.get(0).customer(), rows.stream().map(Row::line).toList()));
  }

  private record Row(String customer, OrderLine line) {}

  private static Row row(ResultSet row, int number) throws SQLException {
    return new Row(
        row.getString("customer"),
        new OrderLine(
            row.getLong("item_id"),
            row.getString("name"),
            row.getLong("quantity"),
            row.getLong("price_cents")));
  }
}

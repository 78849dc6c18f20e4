package steelyard.shop.helidon;

import io.helidon.dbclient.DbClient;
import io.helidon.dbclient.DbRow;
import io.helidon.dbclient.DbStatementDml;
import io.helidon.dbclient.DbTransaction;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import steelyard.shop.Counts;
import steelyard.shop.Order;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;
import steelyard.shop.Parameters;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;
import steelyard.shop.Sql;
import steelyard.shop.Transactions;

/** Takes and answers with orders. */
final class OrderService implements HttpService {

  private final DbClient database;
  private final Messages messages;
  private final Counts counts;

  OrderService(DbClient database, Messages messages, Counts counts) {
    this.database = database;
    this.messages = messages;
    this.counts = counts;
  }

  @Override
  public void routing(HttpRules rules) {
    rules.post("/", this::place).get("/{id}", this::order);
  }

  private void place(ServerRequest request, ServerResponse response) {
    OrderRequest wanted = messages.read(request, OrderRequest.class);
    Order order = Transactions.repeated(() -> keep(wanted.customer(), wanted.linesByItem()));
    counts.addAccepted();
    response
        .status(Status.CREATED_201)
        .header(HeaderNames.LOCATION, "/shop/orders/" + order.id())
        .send(new PlacedOrder(order.customer(), order.lines(), order.totalCents()));
  }

  /** Keeps an order and takes its items from the stock, or does neither. */
  private Order keep(String customer, List<OrderRequest.Line> wanted) {
    DbTransaction transaction = database.transaction();
    Order order;
    try {
      order = insert(transaction, customer, wanted);
    } catch (RuntimeException | Error e) {
      transaction.rollback();
      throw e;
    }
    transaction.commit();
    return order;
  }

  private static Order insert(
      DbTransaction transaction, String customer, List<OrderRequest.Line> wanted) {
    long id =
        transaction
            .createGet(Sql.INSERT_ORDER)
            .addParam(customer)
            .execute()
            .orElseThrow()
            .column("id")
            .getLong();
    List<OrderLine> lines = new ArrayList<>(wanted.size());
    for (OrderRequest.Line line : wanted) {
      lines.add(take(transaction, line));
    }
    insertLines(transaction, id, lines);
    return new Order(id, customer, lines);
  }

  private static OrderLine take(DbTransaction transaction, OrderRequest.Line wanted) {
    DbRow item =
        transaction
            .createGet(Sql.TAKE_STOCK)
            .addParam(wanted.quantity())
            .addParam(wanted.item())
            .addParam(wanted.quantity())
            .execute()
            .orElseThrow(() -> new RefusalException(Refusal.OUT_OF_STOCK));
    return new OrderLine(
        wanted.item(),
        item.column("name").getString(),
        wanted.quantity(),
        item.column("price_cents").getLong());
  }

  /** Inserts all lines by one statement: DbClient has no batches. */
  private static void insertLines(DbTransaction transaction, long order, List<OrderLine> lines) {
    String rows = ", (?, ?, ?, ?, ?)".repeat(lines.size() - 1);
    DbStatementDml insert = transaction.createInsert(Sql.INSERT_LINE + rows);
    int number = 0;
    for (OrderLine line : lines) {
      number++;
      insert
          .addParam(order)
          .addParam(number)
          .addParam(line.item())
          .addParam(line.quantity())
          .addParam(line.priceCents());
    }
    insert.execute();
  }

  private void order(ServerRequest request, ServerResponse response) {
    long id = Parameters.id(request.path().pathParameters().get("id"));
    List<DbRow> rows;
    try (Stream<DbRow> found =
        database.execute().createQuery(Sql.LINES_OF_ORDER).addParam(id).execute()) {
      rows = found.toList();
    }
    if (rows.isEmpty()) {
      throw new RefusalException(Refusal.NOT_FOUND);
    }
    String customer = rows.getFirst().column("customer").getString();
    response.send(new Order(id, customer, rows.stream().map(OrderService::lineOf).toList()));
  }

  private static OrderLine lineOf(DbRow row) {
    return new OrderLine(
        row.column("item_id").getLong(),
        row.column("name").getString(),
        row.column("quantity").getLong(),
        row.column("price_cents").getLong());
  }
}

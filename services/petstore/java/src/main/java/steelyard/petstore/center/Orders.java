package steelyard.petstore.center;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.OrderLine;
import steelyard.petstore.documents.PurchaseOrder;

/** The order database of the order processing center. Every method uses the caller's connection. */
public final class Orders {

  public static final String PENDING = "PENDING";
  public static final String APPROVED = "APPROVED";
  public static final String DENIED = "DENIED";
  public static final String COMPLETED = "COMPLETED";

  /** What the center knows of an order beside its document. */
  public record Known(
      String id,
      String customer,
      String name,
      String email,
      int cents,
      String placed,
      String status,
      String document) {}

  private static final String COLUMNS =
      "id, customer, name, email, cents, placed, status, document";

  public void insert(PurchaseOrder order, String document, Connection database)
      throws SQLException {
    try (PreparedStatement insert =
        database.prepareStatement("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
      insert.setString(1, order.id());
      insert.setString(2, order.customer());
      insert.setString(3, order.address().name());
      insert.setString(4, order.email());
      insert.setInt(5, Math.toIntExact(order.total()));
      insert.setString(6, order.placed());
      insert.setString(7, PENDING);
      insert.setString(8, document);
      insert.executeUpdate();
    }
    try (PreparedStatement insert =
        database.prepareStatement("INSERT INTO order_line VALUES (?, ?, ?, 0)")) {
      for (OrderLine line : order.lines()) {
        insert.setString(1, order.id());
        insert.setString(2, line.item());
        insert.setInt(3, line.quantity());
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  public Optional<Known> find(String id, Connection database) throws SQLException {
    return select("WHERE id = ?", id, database).stream().findFirst();
  }

  /** The order that an invoice is for; raises BadDocumentException where there is none. */
  public Known invoiced(String id, Connection database) throws BadDocumentException, SQLException {
    return find(id, database)
        .orElseThrow(() -> new BadDocumentException("an invoice of no order of ours"));
  }

  /** At most a hundred orders of a status, the oldest first. */
  public List<Known> withStatus(String status, Connection database) throws SQLException {
    return select("WHERE status = ? ORDER BY placed LIMIT 100", status, database);
  }

  /** Whether the order had the status `from`, and has the status `to` now; its row stays locked. */
  public boolean move(String id, String from, String to, Connection database) throws SQLException {
    try (PreparedStatement update =
        database.prepareStatement("UPDATE orders SET status = ? WHERE id = ? AND status = ?")) {
      update.setString(1, to);
      update.setString(2, id);
      update.setString(3, from);
      return update.executeUpdate() == 1;
    }
  }

  /** Waits until no other transaction works on the order, and keeps it until this one ends. */
  public void lock(String id, Connection database) throws SQLException {
    try (PreparedStatement select =
        database.prepareStatement("SELECT id FROM orders WHERE id = ? FOR UPDATE")) {
      select.setString(1, id);
      try (ResultSet found = select.executeQuery()) {
        found.next();
      }
    }
  }

  public void ship(String id, List<OrderLine> lines, Connection database) throws SQLException {
    try (PreparedStatement update =
        database.prepareStatement(
            "UPDATE order_line SET shipped = ? WHERE order_id = ? AND item = ?")) {
      for (OrderLine line : lines) {
        update.setInt(1, line.quantity());
        update.setString(2, id);
        update.setString(3, line.item());
        update.addBatch();
      }
      update.executeBatch();
    }
  }

  public boolean isShipped(String id, Connection database) throws SQLException {
    try (PreparedStatement count =
        database.prepareStatement(
            "SELECT count(*) FROM order_line WHERE order_id = ? AND shipped < quantity")) {
      count.setString(1, id);
      try (ResultSet found = count.executeQuery()) {
        found.next();
        return found.getInt(1) == 0;
      }
    }
  }

  /** How many orders there are of each status, and what they cost together, in cents. */
  public Map<String, long[]> statistics(Connection database) throws SQLException {
    Map<String, long[]> found = new TreeMap<>();
    for (String status : List.of(PENDING, APPROVED, DENIED, COMPLETED)) {
      found.put(status, new long[2]);
    }
    try (PreparedStatement count =
            database.prepareStatement(
                "SELECT status, count(*), sum(cents) FROM orders GROUP BY status");
        ResultSet rows = count.executeQuery()) {
      while (rows.next()) {
        found.put(rows.getString(1), new long[] {rows.getLong(2), rows.getLong(3)});
      }
    }
    return found;
  }

  private static List<Known> select(String where, String value, Connection database)
      throws SQLException {
    try (PreparedStatement select =
        database.prepareStatement("SELECT " + COLUMNS + " FROM orders " + where)) {
      select.setString(1, value);
      try (ResultSet row = select.executeQuery()) {
        List<Known> found = new ArrayList<>();
        while (row.next()) {
          found.add(
              new Known(
                  row.getString(1),
                  row.getString(2),
                  row.getString(3),
                  row.getString(4),
                  row.getInt(5),
                  row.getString(6),
                  row.getString(7),
                  row.getString(8)));
        }
        return found;
      }
    }
  }
}

package steelyard.petstore.supplier;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import steelyard.petstore.documents.OrderLine;

/**
 * What the supplier has in stock, and the orders it has. Every method uses the caller's connection.
 */
public final class Inventory {

  static final String WAITING = "WAITING";
  static final String SHIPPED = "SHIPPED";

  /** The status of an order, none where it is not known. */
  public Optional<String> status(String id, Connection database) throws SQLException {
    try (PreparedStatement select =
        database.prepareStatement("SELECT status FROM supplier_order WHERE id = ?")) {
      select.setString(1, id);
      try (ResultSet found = select.executeQuery()) {
        return found.next() ? Optional.of(found.getString(1)) : Optional.empty();
      }
    }
  }

  void insert(String id, String document, Connection database) throws SQLException {
    try (PreparedStatement insert =
        database.prepareStatement("INSERT INTO supplier_order VALUES (?, ?, 0, ?)")) {
      insert.setString(1, id);
      insert.setString(2, WAITING);
      insert.setString(3, document);
      insert.executeUpdate();
    }
  }

  void shipped(String id, Connection database) throws SQLException {
    try (PreparedStatement update =
        database.prepareStatement(
            "UPDATE supplier_order SET status = ?, shipments = shipments + 1 WHERE id = ?")) {
      update.setString(1, SHIPPED);
      update.setString(2, id);
      update.executeUpdate();
    }
  }

  /**
   * Whether all of it was in stock, and is taken from there; else nothing is. Items are asked for
   * in one order by all, so that no two wait for each other.
   */
  boolean take(List<OrderLine> lines, Connection database) throws SQLException {
    List<OrderLine> ordered = lines.stream().sorted(Comparator.comparing(OrderLine::item)).toList();
    for (OrderLine line : ordered) {
      if (quantityOf(line.item(), database) < line.quantity()) {
        return false;
      }
    }
    for (OrderLine line : ordered) {
      if (!add(line.item(), -line.quantity(), database)) {
        throw new SQLException("the last of " + line.item() + " were taken by another order");
      }
    }
    return true;
  }

  /** Whether there is such an item, and as much of it as is taken. */
  public boolean add(String item, int quantity, Connection database) throws SQLException {
    try (PreparedStatement update =
        database.prepareStatement(
            "UPDATE inventory SET quantity = quantity + ? WHERE item = ? AND quantity >= ?")) {
      update.setInt(1, quantity);
      update.setString(2, item);
      update.setInt(3, -quantity);
      return update.executeUpdate() == 1;
    }
  }

  /** The stock by item. */
  public Map<String, Integer> stock(Connection database) throws SQLException {
    Map<String, Integer> found = new TreeMap<>();
    try (PreparedStatement select =
            database.prepareStatement("SELECT item, quantity FROM inventory");
        ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        found.put(rows.getString(1), rows.getInt(2));
      }
    }
    return found;
  }

  /** The documents of orders that wait for stock. */
  public List<String> waiting(Connection database) throws SQLException {
    try (PreparedStatement select =
        database.prepareStatement("SELECT document FROM supplier_order WHERE status = ?")) {
      select.setString(1, WAITING);
      try (ResultSet rows = select.executeQuery()) {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
          found.add(rows.getString(1));
        }
        return found;
      }
    }
  }

  private static int quantityOf(String item, Connection database) throws SQLException {
    try (PreparedStatement select =
        database.prepareStatement("SELECT quantity FROM inventory WHERE item = ?")) {
      select.setString(1, item);
      try (ResultSet found = select.executeQuery()) {
        return found.next() ? found.getInt(1) : 0;
      }
    }
  }
}

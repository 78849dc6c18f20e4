package steelyard.shop;

/** Statements for those that write SQL themselves, in the form of JDBC. */
public final class Sql {

  private static final String ITEM_COLUMNS =
      "SELECT id, name, keyword, price_cents, description FROM item ";

  /** Parameter: id. */
  public static final String ITEM = ITEM_COLUMNS + "WHERE id = ?";

  /** Parameter: an array of ids. */
  public static final String ITEMS = ITEM_COLUMNS + "WHERE id = ANY(?) ORDER BY id";

  /** Parameter: keyword. */
  public static final String CHEAPEST_OF_KEYWORD =
      ITEM_COLUMNS + "WHERE keyword = ? ORDER BY price_cents, id LIMIT 10";

  /** Parameter: customer. One row: the id of the new order. */
  public static final String INSERT_ORDER = "INSERT INTO orders (customer) VALUES (?) RETURNING id";

  /** Parameters: quantity, item, quantity. One row, or none where less is in stock. */
  public static final String TAKE_STOCK =
      "UPDATE item SET stock = stock - ? WHERE id = ? AND stock >= ? RETURNING name, price_cents";

  /** Parameters: order, number of the line from 1, item, quantity, price in cents. */
  public static final String INSERT_LINE =
      "INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents)"
          + " VALUES (?, ?, ?, ?, ?)";

  /** Parameter: id of an order. A row for each line. */
  public static final String LINES_OF_ORDER =
      "SELECT customer, item_id, name, quantity, order_line.price_cents FROM orders"
          + " JOIN order_line ON order_id = orders.id JOIN item ON item.id = item_id"
          + " WHERE orders.id = ? ORDER BY line_number";

  private Sql() {}
}

package steelyard.petstore.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** What the shop offers, and whom it knows: read-only. */
public final class Catalog {

  /** A kind of pets. */
  public record Category(String id, String name, String about) {}

  /** A breed or species. */
  public record Product(String id, String category, String name, String about) {}

  /** What can be bought of it, at a price in cents. */
  public record Item(String id, String product, String category, String name, int cents) {}

  /** Who can sign in. */
  public record Account(String id, String name, String email, String role) {}

  private interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  private static final String ITEMS =
      "SELECT i.id, i.product, p.category, i.name, i.cents FROM item i"
          + " JOIN product p ON p.id = i.product ";

  private final DataSource database;

  public Catalog(DataSource database) {
    this.database = database;
  }

  public List<Category> categories() throws SQLException {
    return select("SELECT id, name, about FROM category ORDER BY id", Catalog::category);
  }

  public Optional<Category> category(String id) throws SQLException {
    return first(
        select("SELECT id, name, about FROM category WHERE id = ?", Catalog::category, id));
  }

  public List<Product> products(String category) throws SQLException {
    return select(
        "SELECT id, category, name, about FROM product WHERE category = ? ORDER BY id",
        Catalog::product,
        category);
  }

  public Optional<Product> product(String id) throws SQLException {
    return first(
        select("SELECT id, category, name, about FROM product WHERE id = ?", Catalog::product, id));
  }

  public List<Item> items(String product) throws SQLException {
    return select(ITEMS + "WHERE i.product = ? ORDER BY i.id", Catalog::item, product);
  }

  public Optional<Item> item(String id) throws SQLException {
    return first(select(ITEMS + "WHERE i.id = ?", Catalog::item, id));
  }

  /** The account where user and password are right. */
  public Optional<Account> account(String user, String password) throws SQLException {
    return first(
        select(
            "SELECT id, name, email, role FROM account WHERE id = ? AND password = ?",
            row ->
                new Account(row.getString(1), row.getString(2), row.getString(3), row.getString(4)),
            user,
            password));
  }

  private static Category category(ResultSet row) throws SQLException {
    return new Category(row.getString(1), row.getString(2), row.getString(3));
  }

  private static Product product(ResultSet row) throws SQLException {
    return new Product(row.getString(1), row.getString(2), row.getString(3), row.getString(4));
  }

  private static Item item(ResultSet row) throws SQLException {
    return new Item(
        row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getInt(5));
  }

  private <T> List<T> select(String query, Row<T> read, String... values) throws SQLException {
    try (Connection connection = database.getConnection();
        PreparedStatement select = connection.prepareStatement(query)) {
      for (int place = 0; place < values.length; place++) {
        select.setString(place + 1, values[place]);
      }
      try (ResultSet rows = select.executeQuery()) {
        List<T> found = new ArrayList<>();
        while (rows.next()) {
          found.add(read.read(rows));
        }
        return found;
      }
    }
  }

  private static <T> Optional<T> first(List<T> found) {
    return found.stream().findFirst();
  }
}

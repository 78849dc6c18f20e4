package example.books.service;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** The books in a database, over one connection. */
public class Shelf {

  private static final String DATABASE = "jdbc:h2:mem:books";

  private final Connection connection;

  public Shelf() {
    try {
      // By its class: a driver in a web application's own folder is not found by itself.
      var driver = (Driver) Class.forName("org.h2.Driver").getDeclaredConstructor().newInstance();
      connection = driver.connect(DATABASE, new Properties());
      try (var statement = connection.createStatement()) {
        statement.execute(
            "CREATE TABLE book (author VARCHAR(100) NOT NULL, title VARCHAR(200) NOT NULL)");
      }
    } catch (ReflectiveOperationException | SQLException e) {
      throw new IllegalStateException("there is no shelf", e);
    }
  }

  public synchronized List<String> titlesOf(String author) {
    List<String> titles = new ArrayList<>();
    try (var statement =
        connection.prepareStatement("SELECT title FROM book WHERE author = ? ORDER BY title")) {
      statement.setString(1, author);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          titles.add(found.getString(1));
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return titles;
  }

  public synchronized void add(String author, String title) {
    try (var statement = connection.prepareStatement("INSERT INTO book VALUES (?, ?)")) {
      statement.setString(1, author);
      statement.setString(2, title);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  public synchronized long count() {
    try (var statement = connection.createStatement();
        ResultSet found = statement.executeQuery("SELECT COUNT(*) FROM book")) {
      found.next();
      return found.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}

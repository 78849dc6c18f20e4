package example.shop;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.stream.IntStream;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;

/** The shop's pages; some of them do what servlets should think twice about. */
class ShopPages extends HttpServlet {

  private static final SessionFactory SESSIONS =
      new Configuration()
          .addAnnotatedClass(Item.class)
          .setProperty("hibernate.connection.url", Orders.DATABASE)
          .setProperty("hibernate.hbm2ddl.auto", "create")
          .buildSessionFactory();

  private static final int COUNTS = 64;

  private final Orders orders = new Orders();

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    switch (request.getPathInfo()) {
      case "/count" -> response.getWriter().print(counted());
      case "/forked" -> forked();
      case "/parallel" -> IntStream.range(0, COUNTS).parallel().forEach(each -> counted());
      case "/later" -> {
        var later = request.startAsync();
        later.start(later::complete);
      }
      case "/stocked" -> response.getWriter().print(stocked());
      default -> response.sendError(HttpServletResponse.SC_NOT_FOUND);
    }
  }

  private int counted() {
    try {
      return orders.count();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void forked() {
    Thread other = new Thread(this::counted);
    other.start();
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int stocked() {
    Item item = new Item();
    try (Session session = SESSIONS.openSession()) {
      var transaction = session.beginTransaction();
      session.persist(item);
      transaction.commit();
    }
    try (Session session = SESSIONS.openSession()) {
      return session.find(Item.class, item.id) == null ? 0 : 1;
    }
  }
}

package steelyard.petstore.shop;

import static steelyard.petstore.web.Html.escaped;
import static steelyard.petstore.web.Html.price;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import steelyard.petstore.PetStore;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StoreServlet;

/** The catalog's pages. */
@WebServlet({"/home", "/category", "/product", "/item"})
public class ShopServlet extends StoreServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    if (!allows(request, response, "GET")) {
      return;
    }
    Catalog catalog = store.catalog();
    String id = field(request, "id");
    switch (request.getServletPath()) {
      case "/category" -> category(catalog, id, response);
      case "/product" -> product(catalog, id, response);
      case "/item" -> item(catalog, id, response);
      default -> home(catalog, response);
    }
  }

  private static void home(Catalog catalog, HttpServletResponse response)
      throws IOException, SQLException {
    StringBuilder list = new StringBuilder("<ul class=\"categories\">\n");
    for (Catalog.Category one : catalog.categories()) {
      list.append(
          """
          <li><a href="/petstore/category?id=%1$s"><img src="/petstore/picture?kind=%1$s&amp;of=%1$s" alt="" width="160" height="120">
          <b class="name">%2$s</b></a> <span class="about">%3$s</span></li>
          """
              .formatted(escaped(one.id()), escaped(one.name()), escaped(one.about())));
    }
    Html.page(response, HttpServletResponse.SC_OK, "Welcome", list.append("</ul>").toString());
  }

  private static void category(Catalog catalog, String id, HttpServletResponse response)
      throws IOException, SQLException {
    Optional<Catalog.Category> found = catalog.category(id);
    if (found.isEmpty()) {
      unknown(response, "category");
      return;
    }
    StringBuilder list = new StringBuilder("<ul class=\"products\">\n");
    for (Catalog.Product one : catalog.products(id)) {
      list.append(
          """
          <li><a href="/petstore/product?id=%1$s"><img src="/petstore/picture?kind=%2$s&amp;of=%1$s" alt="" width="160" height="120">
          <b class="name">%3$s</b></a> <span class="about">%4$s</span></li>
          """
              .formatted(
                  escaped(one.id()), escaped(id), escaped(one.name()), escaped(one.about())));
    }
    Html.page(
        response, HttpServletResponse.SC_OK, found.get().name(), list.append("</ul>").toString());
  }

  private static void product(Catalog catalog, String id, HttpServletResponse response)
      throws IOException, SQLException {
    Optional<Catalog.Product> found = catalog.product(id);
    if (found.isEmpty()) {
      unknown(response, "product");
      return;
    }
    StringBuilder list =
        new StringBuilder(
            "<p class=\"about\">" + escaped(found.get().about()) + "</p><ul class=\"items\">\n");
    for (Catalog.Item one : catalog.items(id)) {
      list.append(
          "<li><a href=\"/petstore/item?id=%s\"><b class=\"name\">%s</b></a> <span class=\"price\">%s</span></li>\n"
              .formatted(escaped(one.id()), escaped(one.name()), price(one.cents())));
    }
    Html.page(
        response, HttpServletResponse.SC_OK, found.get().name(), list.append("</ul>").toString());
  }

  private static void item(Catalog catalog, String id, HttpServletResponse response)
      throws IOException, SQLException {
    Optional<Catalog.Item> found = catalog.item(id);
    if (found.isEmpty()) {
      unknown(response, "item");
      return;
    }
    Catalog.Item one = found.get();
    String content =
        """
        <img src="/petstore/picture?kind=%s&amp;of=%s" alt="" width="320" height="240">
        <p>Price: <span class="price">%s</span></p>
        <p><a class="add" href="/petstore/cart?add=%s">Add to cart</a></p>
        """
            .formatted(
                escaped(one.category()),
                escaped(one.product()),
                price(one.cents()),
                escaped(one.id()));
    Html.page(response, HttpServletResponse.SC_OK, one.name(), content);
  }

  private static void unknown(HttpServletResponse response, String what) throws IOException {
    Html.refusal(response, HttpServletResponse.SC_NOT_FOUND, "There is no such " + what + ".");
  }
}

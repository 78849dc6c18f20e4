package steelyard.petstore.shop;

import static steelyard.petstore.web.Html.escaped;
import static steelyard.petstore.web.Html.price;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import steelyard.petstore.PetStore;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StoreServlet;

/** The cart: what is in it, and what is put in or taken out. */
@WebServlet("/cart")
public class CartServlet extends StoreServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    if (!allows(request, response, "GET")) {
      return;
    }
    Catalog catalog = store.catalog();
    String wanted = field(request, "add");
    if (!wanted.isEmpty() && catalog.item(wanted).isEmpty()) {
      Html.refusal(response, HttpServletResponse.SC_NOT_FOUND, "There is no such item.");
      return;
    }
    Visit visit = Visit.of(request);
    synchronized (visit) {
      if (!wanted.isEmpty() && !visit.add(wanted)) {
        Html.refusal(response, HttpServletResponse.SC_CONFLICT, "The cart is full.");
        return;
      }
      visit.remove(field(request, "remove"));
      Html.page(response, HttpServletResponse.SC_OK, "Your cart", content(catalog, visit));
    }
  }

  private static String content(Catalog catalog, Visit visit) throws SQLException {
    if (visit.cart().isEmpty()) {
      return "<p class=\"empty\">There is nothing in it yet.</p>";
    }
    StringBuilder rows = new StringBuilder("<table class=\"cart\">\n");
    long total = 0;
    for (Map.Entry<String, Integer> line : visit.cart().entrySet()) {
      Optional<Catalog.Item> found = catalog.item(line.getKey());
      if (found.isEmpty()) {
        continue; // taken out of the catalog since
      }
      long cost = (long) found.get().cents() * line.getValue();
      total += cost;
      rows.append(
          """
          <tr><td class="name">%s</td><td class="quantity">%d</td><td class="price">%s</td>
          <td><a href="/petstore/cart?remove=%s">take out</a></td></tr>
          """
              .formatted(
                  escaped(found.get().name()),
                  line.getValue(),
                  price(cost),
                  escaped(line.getKey())));
    }
    return rows
        + "</table><p>Together <b class=\"total\">"
        + price(total)
        + "</b></p><p><a class=\"checkout\" href=\"/petstore/checkout\">Check out</a></p>";
  }
}

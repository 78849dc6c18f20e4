package steelyard.petstore.supplier;

import static steelyard.petstore.web.Html.escaped;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import steelyard.petstore.PetStore;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.web.Basic;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StaffNavigation;
import steelyard.petstore.web.StoreServlet;

/** The supplier's stock, and where it is filled up: orders that waited for it go on then. */
@WebServlet("/inventory")
public class InventoryServlet extends StoreServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    if (!Basic.isAdministrator(store.catalog(), request, response)) {
      return;
    }
    if (request.getMethod().equals("POST") && !restock(store, request, response)) {
      return;
    }
    Map<String, Integer> stock;
    List<String> waiting;
    try (Connection database = store.database().getConnection()) {
      stock = store.inventory().stock(database);
      waiting = store.inventory().waiting(database);
    }
    StringBuilder rows =
        new StringBuilder(
            """
            %s<p>Orders that wait: <b class="waiting">%d</b></p>
            <table class="stock"><tr><th scope="col">item</th><th scope="col">in stock</th><th scope="col">to add</th></tr>
            """
                .formatted(StaffNavigation.at("inventory"), waiting.size()));
    stock.forEach(
        (item, quantity) ->
            rows.append(
                """
                <tr><td>%1$s</td><td class="quantity">%2$d</td><td><form method="post" action="/petstore/inventory">
                <input type="hidden" name="item" value="%1$s"><input name="quantity" type="number" min="1" max="1000000" required aria-label="quantity of %1$s">
                <button aria-label="add to %1$s">add</button></form></td></tr>
                """
                    .formatted(escaped(item), quantity)));
    Html.page(response, HttpServletResponse.SC_OK, "Stock", rows.append("</table>").toString());
  }

  /** Whether it was done; else the refusal is answered already. */
  private static boolean restock(
      PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    String quantity = field(request, "quantity");
    List<String> waiting;
    try (Connection database = store.database().getConnection()) {
      if (!quantity.matches("[1-9][0-9]{0,6}")
          || !store.inventory().add(field(request, "item"), Integer.parseInt(quantity), database)) {
        Html.refusal(
            response,
            HttpServletResponse.SC_BAD_REQUEST,
            "That is no item of ours, or no quantity from 1 to 9999999.");
        return false;
      }
      waiting = store.inventory().waiting(database);
    }
    // Each is tried again; what still lacks something waits on. One that gets lost here waits for
    // the next restock.
    waiting.forEach(document -> store.outside().send(Destination.SUPPLIER_ORDERS, document));
    return true;
  }
}

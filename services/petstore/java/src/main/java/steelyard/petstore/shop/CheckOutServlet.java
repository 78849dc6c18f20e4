package steelyard.petstore.shop;

import static steelyard.petstore.web.Html.escaped;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import steelyard.petstore.PetStore;
import steelyard.petstore.documents.Address;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.OrderLine;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StoreServlet;

/** From the cart to an order: sign-in, address, thanks. */
@WebServlet({"/checkout", "/signin", "/order"})
public class CheckOutServlet extends StoreServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException, BadDocumentException {
    String path = request.getServletPath();
    if (!allows(request, response, path.equals("/checkout") ? "GET" : "POST")) {
      return;
    }
    Visit visit = Visit.of(request);
    synchronized (visit) {
      switch (path) {
        case "/signin" -> signIn(store.catalog(), visit, request, response);
        case "/order" -> order(store, visit, request, response);
        default -> checkOut(visit, response);
      }
    }
  }

  private static void checkOut(Visit visit, HttpServletResponse response) throws IOException {
    if (visit.cart().isEmpty()) {
      Html.refusal(
          response,
          HttpServletResponse.SC_CONFLICT,
          "Your cart is empty, so there is nothing to check out. Put something into it first.");
    } else if (visit.isSignedIn()) {
      addressForm(visit, response);
    } else {
      String content =
          """
          <form class="signin" method="post" action="/petstore/signin">
          <input type="hidden" name="form" value="%s">
          <label>User <input name="user" required maxlength="40"></label>
          <label>Password <input name="password" type="password" required maxlength="40"></label>
          <button>Sign in</button></form>
          """
              .formatted(visit.form());
      Html.page(response, HttpServletResponse.SC_OK, "Sign in", content);
    }
  }

  private static void signIn(
      Catalog catalog, Visit visit, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    if (!visit.form().equals(field(request, "form"))) {
      stranger(response);
      return;
    }
    Optional<Catalog.Account> account =
        catalog.account(field(request, "user"), field(request, "password"));
    if (account.isEmpty()) {
      Html.refusal(
          response,
          HttpServletResponse.SC_FORBIDDEN,
          "User and password do not belong together. Go back and try again.");
      return;
    }
    request.changeSessionId(); // one that somebody planted or saw before is worth nothing now
    visit.signIn(account.get());
    addressForm(visit, response);
  }

  private static void addressForm(Visit visit, HttpServletResponse response) throws IOException {
    String content =
        """
        <form class="order" method="post" action="/petstore/order">
        <input type="hidden" name="form" value="%s">
        <p>Ordered by <b class="customer">%s</b></p>
        <label>Name <input name="name" required maxlength="80"></label>
        <label>Street <input name="street" required maxlength="80"></label>
        <label>City <input name="city" required maxlength="80"></label>
        <label>Country <input name="country" required maxlength="80"></label>
        <button>Order</button></form>
        """
            .formatted(visit.form(), escaped(visit.customer()));
    Html.page(response, HttpServletResponse.SC_OK, "Where shall it go?", content);
  }

  private static void order(
      PetStore store, Visit visit, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException, BadDocumentException {
    String mark = field(request, "form");
    Address address =
        new Address(
            field(request, "name"),
            field(request, "street"),
            field(request, "city"),
            field(request, "country"));
    String before = visit.placedBy(mark);
    if (before != null) { // sent twice: it is the same order
      thanks(response, before, address.name());
      return;
    }
    if (!visit.isSignedIn() || !visit.form().equals(mark)) {
      stranger(response);
      return;
    }
    List<OrderLine> lines = lines(store.catalog(), visit);
    if (lines.isEmpty()) {
      Html.refusal(response, HttpServletResponse.SC_CONFLICT, "Your cart is empty.");
      return;
    }
    String id = store.checkOut().place(visit.customer(), visit.email(), address, lines);
    visit.remember(mark, id);
    thanks(response, id, address.name());
  }

  private static List<OrderLine> lines(Catalog catalog, Visit visit) throws SQLException {
    List<OrderLine> lines = new ArrayList<>();
    for (Map.Entry<String, Integer> wanted : visit.cart().entrySet()) {
      Optional<Catalog.Item> item = catalog.item(wanted.getKey());
      item.ifPresent(
          found -> lines.add(new OrderLine(found.id(), wanted.getValue(), found.cents())));
    }
    return lines;
  }

  private static void thanks(HttpServletResponse response, String id, String name)
      throws IOException {
    Html.page(
        response,
        HttpServletResponse.SC_OK,
        "Thank you for your order",
        "<p>It goes to <b class=\"name\">%s</b>; its number is <b class=\"number\">%s</b>. We write a mail at each step.</p>"
            .formatted(escaped(name), escaped(id)));
  }

  private static void stranger(HttpServletResponse response) throws IOException {
    Html.refusal(
        response,
        HttpServletResponse.SC_FORBIDDEN,
        "This form is not from your visit, or from before you signed in. Check out again.");
  }
}

package steelyard.petstore.admin;

import static steelyard.petstore.web.Html.escaped;
import static steelyard.petstore.web.Html.price;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import steelyard.petstore.PetStore;
import steelyard.petstore.center.Orders;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.OrderApproval;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.web.Basic;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StaffNavigation;
import steelyard.petstore.web.StoreServlet;

/**
 * Statistics, and orders that a person must approve or deny: as a page with a form at /admin, and
 * for a client that speaks XML at /admin/orders.
 */
@WebServlet({"/admin", "/admin/orders"})
public class AdminServlet extends StoreServlet {

  private static final long serialVersionUID = 1;
  private static final int LONGEST = 200_000; // bytes of a document

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException, BadDocumentException {
    if (!Basic.isAdministrator(store.catalog(), request, response)) {
      return;
    }
    boolean xml = request.getServletPath().equals("/admin/orders");
    if (request.getMethod().equals("GET")) {
      if (xml) {
        pending(store, response);
      } else {
        page(store, response, "");
      }
    } else if (!request.getMethod().equals("POST")) {
      allows(request, response, "GET");
    } else if (xml) {
      byte[] document = request.getInputStream().readNBytes(LONGEST + 1);
      decide(store, store.documents().orderApprovals(new String(document, StandardCharsets.UTF_8)));
      response.setStatus(HttpServletResponse.SC_ACCEPTED);
    } else {
      String id = field(request, "id");
      boolean approved = field(request, "verdict").equals("approve");
      String document = store.documents().text(new OrderApproval(id, approved));
      decide(store, List.of(store.documents().orderApproval(document)));
      page(store, response, "Order " + id + (approved ? " approved." : " denied."));
    }
  }

  /** All of them, or where one is of no order, none: the step would wait for that order. */
  private static void decide(PetStore store, List<OrderApproval> approvals)
      throws BadDocumentException, SQLException {
    try (Connection database = store.database().getConnection()) {
      for (OrderApproval approval : approvals) {
        if (store.orders().find(approval.id(), database).isEmpty()) {
          throw new BadDocumentException("an approval of no order of ours");
        }
      }
    }
    for (OrderApproval approval : approvals) {
      store.outside().send(Destination.ORDER_APPROVALS, store.documents().text(approval));
    }
  }

  private static void pending(PetStore store, HttpServletResponse response)
      throws IOException, SQLException {
    StringBuilder orders = new StringBuilder("<orders xmlns=\"urn:steelyard:petstore\">\n");
    try (Connection database = store.database().getConnection()) {
      for (Orders.Known order : store.orders().withStatus(Orders.PENDING, database)) {
        orders.append(order.document()).append('\n');
      }
    }
    response.setContentType("application/xml;charset=UTF-8");
    response.getWriter().print(orders.append("</orders>"));
  }

  private static void page(PetStore store, HttpServletResponse response, String done)
      throws IOException, SQLException {
    Map<String, long[]> statistics;
    List<Orders.Known> pending;
    try (Connection database = store.database().getConnection()) {
      statistics = store.orders().statistics(database);
      pending = store.orders().withStatus(Orders.PENDING, database);
    }
    StringBuilder content = new StringBuilder(StaffNavigation.at("admin"));
    content.append("<p class=\"done\" role=\"status\">" + escaped(done) + "</p>");
    content.append(
        """
        <table class="statistics">
        <tr><th scope="col">status</th><th scope="col">orders</th><th scope="col">sum</th></tr>
        """);
    statistics.forEach(
        (status, sums) ->
            content.append(
                "<tr><td>%s</td><td>%d</td><td>%s</td></tr>\n"
                    .formatted(escaped(status), sums[0], price(sums[1]))));
    content.append("</table><h2>To be decided</h2><ul class=\"pending\">\n");
    for (Orders.Known order : pending) {
      content.append(
          """
          <li><b class="number">%1$s</b> of %2$s, %3$s <form method="post" action="/petstore/admin">
          <input type="hidden" name="id" value="%1$s"><button name="verdict" value="approve" aria-label="approve %1$s">approve</button>
          <button name="verdict" value="deny" aria-label="deny %1$s">deny</button></form></li>
          """
              .formatted(escaped(order.id()), escaped(order.customer()), price(order.cents())));
    }
    content.append("</ul>").append(pending.isEmpty() ? "<p>Nothing waits.</p>" : "");
    Html.page(response, HttpServletResponse.SC_OK, "Orders", content.toString());
  }
}

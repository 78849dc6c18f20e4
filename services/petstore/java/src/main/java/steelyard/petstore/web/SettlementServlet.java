package steelyard.petstore.web;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import steelyard.petstore.PetStore;
import steelyard.petstore.center.Orders;

/** Tells how far the accepted orders are, as JSON: what a measurement waits for before it ends. */
@WebServlet("/settlement")
public class SettlementServlet extends StoreServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    long mails = store.mailer().sent();
    long accepted = store.checkOut().accepted();
    Map<String, long[]> orders;
    try (Connection database = store.database().getConnection()) {
      orders = store.orders().statistics(database);
    }
    response.setContentType("application/json");
    response
        .getWriter()
        .print(
            "{\"accepted\": %d, \"completed\": %d, \"denied\": %d, \"pending\": %d, \"approved\": %d, \"mails\": %d}"
                .formatted(
                    accepted,
                    orders.get(Orders.COMPLETED)[0],
                    orders.get(Orders.DENIED)[0],
                    orders.get(Orders.PENDING)[0],
                    orders.get(Orders.APPROVED)[0],
                    mails));
  }
}

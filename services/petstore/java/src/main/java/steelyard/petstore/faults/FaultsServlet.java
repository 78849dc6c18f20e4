package steelyard.petstore.faults;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Optional;
import steelyard.petstore.PetStore;
import steelyard.petstore.web.Basic;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StoreServlet;

/** Where a fault is planted: `place` of a step, and how many `percent` of the steps meet it. */
@WebServlet("/faults")
public class FaultsServlet extends StoreServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    if (!allows(request, response, "POST")
        || !Basic.isAdministrator(store.catalog(), request, response)) {
      return;
    }
    Optional<PlantedFaults.Place> place = PlantedFaults.Place.of(field(request, "place"));
    String percent = field(request, "percent");
    if (place.isEmpty() || !percent.matches("[1-9]?[0-9]|100")) {
      Html.refusal(
          response,
          HttpServletResponse.SC_BAD_REQUEST,
          "A fault has a place, after-call or at-commit, and a percent from 0 to 100.");
      return;
    }
    store.faults().plant(place.get(), Integer.parseInt(percent));
    response.setStatus(HttpServletResponse.SC_NO_CONTENT);
  }
}

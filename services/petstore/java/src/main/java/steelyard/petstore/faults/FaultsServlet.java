package steelyard.petstore.faults;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import steelyard.petstore.PetStore;
import steelyard.petstore.messaging.Receiver;
import steelyard.petstore.web.Basic;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StoreServlet;

/**
 * Where a fault is planted: `place` of a step, and how many `percent` of the steps meet it; where
 * they are given, how many `times` each does, and which `step` alone.
 */
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
    String times = field(request, "times").isEmpty() ? "1" : field(request, "times");
    String step = field(request, "step");
    if (place.isEmpty()
        || !percent.matches("[1-9]?[0-9]|100")
        || !times.matches("[1-9][0-9]{0,2}")
        || !isStep(step)) {
      Html.refusal(
          response,
          HttpServletResponse.SC_BAD_REQUEST,
          "A fault has a place, after-call or at-commit, and a percent from 0 to 100; it may have times from 1 to 999 and a step.");
      return;
    }
    PlantedFaults.Plan plan =
        new PlantedFaults.Plan(Integer.parseInt(percent), Integer.parseInt(times), step);
    store.faults().plant(place.get(), plan);
    response.setStatus(HttpServletResponse.SC_NO_CONTENT);
  }

  private static boolean isStep(String name) {
    return name.isEmpty()
        || Arrays.stream(Receiver.values()).anyMatch(receiver -> receiver.name().equals(name));
  }
}

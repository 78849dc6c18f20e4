package steelyard.flight.web;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import steelyard.flight.Application;
import steelyard.flight.domain.FlightException;
import steelyard.flight.service.CreateReservation;
import steelyard.flight.service.SearchFlights;
import steelyard.flight.view.FlightView;
import steelyard.flight.view.PassengerView;
import steelyard.flight.view.ReservationView;

/**
 * The pages: GET /pages/search (origin, destination, date) finds flights, POST /pages/reserve makes
 * a reservation for one passenger. They ask the same service objects as the web service.
 */
@WebServlet("/pages/*")
public class FlightPages extends HttpServlet {

  private static final long serialVersionUID = 1;

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!"/search".equals(request.getPathInfo())) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND, "there is no such page");
      return;
    }
    show(
        response,
        () -> {
          LocalDate day = day(request, "date");
          List<FlightView> found =
              Application.shared()
                  .services()
                  .run(
                      new SearchFlights(
                          text(request, "origin"), text(request, "destination"), day));
          return flights(day, found);
        });
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!"/reserve".equals(request.getPathInfo())) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND, "there is no such page");
      return;
    }
    show(
        response,
        () -> {
          var asked =
              new CreateReservation(
                  text(request, "reference"),
                  text(request, "flight"),
                  day(request, "date"),
                  List.of(passenger(request)));
          return reservation(Application.shared().services().run(asked));
        });
  }

  private interface Page {
    String made();
  }

  /** A page, or why there is none, with the status that says whose fault it is. */
  private static void show(HttpServletResponse response, Page page) throws IOException {
    String body;
    try {
      body = page.made();
    } catch (FlightException e) {
      response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
      body = "<p id=\"refused\">" + escaped(e.getMessage()) + "</p>";
    } catch (RuntimeException e) {
      response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
      body = "<p id=\"failed\">the flights cannot be asked just now</p>";
    }
    response.setContentType("text/html; charset=utf-8");
    response
        .getWriter()
        .print(
            "<!DOCTYPE html><html lang=\"en\"><title>Flight</title><body>"
                + body
                + "</body></html>");
  }

  private static String flights(LocalDate day, List<FlightView> found) {
    var page = new StringBuilder("<table id=\"flights\">");
    for (FlightView each : found) {
      page.append(
          "<tr><td>%s<td>%s<td>%s<td>%s<td>%s %s"
              .formatted(
                  escaped(each.number()),
                  escaped(each.airline()),
                  each.departure(),
                  each.arrival(),
                  each.price().amount(),
                  escaped(each.price().currency())));
      page.append(
          "<td><form method=\"post\" action=\"reserve\"><input type=\"hidden\" name=\"flight\" value=\"%s\">"
              .formatted(escaped(each.number())));
      page.append("<input type=\"hidden\" name=\"date\" value=\"%s\">".formatted(day));
      for (String field : FIELDS) {
        page.append("<label>%1$s <input name=\"%1$s\"></label>".formatted(field));
      }
      page.append("<button>reserve</button></form>");
    }
    return page.append("</table>").toString();
  }

  private static final List<String> FIELDS =
      List.of(
          "reference",
          "firstName",
          "lastName",
          "birthDate",
          "nationality",
          "passport",
          "passportExpires",
          "email",
          "phone",
          "street",
          "city",
          "bags");

  private static String reservation(ReservationView made) {
    return "<p>Reservation <b id=\"code\">%s</b> on flight %s of %s: <span id=\"total\">%s %s</span></p>"
        .formatted(
            escaped(made.code()),
            escaped(made.flight()),
            made.day(),
            made.total().amount(),
            escaped(made.total().currency()));
  }

  private static PassengerView passenger(HttpServletRequest request) {
    return new PassengerView(
        text(request, "firstName"),
        text(request, "lastName"),
        day(request, "birthDate"),
        text(request, "nationality"),
        text(request, "passport"),
        day(request, "passportExpires"),
        text(request, "email"),
        text(request, "phone"),
        text(request, "street"),
        text(request, "city"),
        bags(request));
  }

  private static String text(HttpServletRequest request, String name) {
    String given = request.getParameter(name);
    if (given == null) {
      throw lacking(name);
    }
    return given;
  }

  private static LocalDate day(HttpServletRequest request, String name) {
    try {
      return LocalDate.parse(text(request, name));
    } catch (DateTimeParseException e) {
      throw lacking(name);
    }
  }

  private static int bags(HttpServletRequest request) {
    try {
      return Integer.parseInt(text(request, "bags"));
    } catch (NumberFormatException e) {
      throw lacking("bags");
    }
  }

  private static FlightException lacking(String name) {
    return new FlightException(FlightException.Reason.INCOMPLETE, name);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}

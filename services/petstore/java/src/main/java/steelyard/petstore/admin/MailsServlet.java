package steelyard.petstore.admin;

import static steelyard.petstore.web.Html.escaped;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import steelyard.petstore.PetStore;
import steelyard.petstore.Settings;
import steelyard.petstore.web.Basic;
import steelyard.petstore.web.Html;
import steelyard.petstore.web.StaffNavigation;
import steelyard.petstore.web.StoreServlet;

/** The mails that came to customers, as the mail server beside the store lists them. */
@WebServlet("/mails")
public class MailsServlet extends StoreServlet {

  private static final long serialVersionUID = 1;
  private static final int MOST_SHOWN = 100;
  private static final int TIMEOUT_MILLIS = 5000;

  /** What is listed of the mails: how many came, and the last of them, the newest first. */
  private record Mails(int number, Deque<String> last) {}

  @Override
  protected void answer(PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    if (!allows(request, response, "GET")
        || !Basic.isAdministrator(store.catalog(), request, response)) {
      return;
    }
    Mails mails;
    try {
      mails = mails(store.settings());
    } catch (IOException away) {
      response.setHeader("Retry-After", "5");
      Html.refusal(
          response,
          HttpServletResponse.SC_SERVICE_UNAVAILABLE,
          "The mail server does not tell its mails at the moment. Please try again soon.");
      return;
    }
    Html.page(response, HttpServletResponse.SC_OK, "Mails", content(mails));
  }

  private static Mails mails(Settings settings) throws IOException {
    URI list = URI.create("http://" + settings.host() + ":" + settings.mailListPort() + "/mails");
    URLConnection connection = list.toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    Deque<String> last = new ArrayDeque<>();
    int number = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        last.addFirst(line);
        if (last.size() > MOST_SHOWN) {
          last.removeLast();
        }
      }
    }
    return new Mails(number, last);
  }

  private static String content(Mails mails) {
    StringBuilder rows =
        new StringBuilder(
            """
            %s<p>Mails that came: <b class="came">%d</b></p>
            <table class="mails"><tr><th scope="col">to</th><th scope="col">subject</th></tr>
            """
                .formatted(StaffNavigation.at("mails"), mails.number()));
    for (String line : mails.last()) {
      String[] words = line.split("\t", 2);
      rows.append(
          "<tr><td>%s</td><td>%s</td></tr>\n"
              .formatted(escaped(words[0]), escaped(words.length > 1 ? words[1] : "")));
    }
    return rows.append("</table>").toString();
  }
}

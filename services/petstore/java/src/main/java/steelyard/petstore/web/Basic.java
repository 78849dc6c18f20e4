package steelyard.petstore.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Base64;
import steelyard.petstore.shop.Catalog;

/** Who may do what only administrators do: HTTP's basic authentication against the accounts. */
public final class Basic {

  private static final String SCHEME = "Basic ";

  private Basic() {}

  /** Whether an administrator asks; else the refusal is answered already. */
  public static boolean isAdministrator(
      Catalog catalog, HttpServletRequest request, HttpServletResponse response)
      throws IOException, SQLException {
    String header = request.getHeader("Authorization");
    if (header != null && header.startsWith(SCHEME)) {
      String[] words = decoded(header.substring(SCHEME.length())).split(":", 2);
      if (words.length == 2
          && catalog
              .account(words[0], words[1])
              .filter(account -> account.role().equals("admin"))
              .isPresent()) {
        return true;
      }
    }
    response.setHeader("WWW-Authenticate", "Basic realm=\"pet store\", charset=\"UTF-8\"");
    Html.refusal(
        response, HttpServletResponse.SC_UNAUTHORIZED, "Only administrators may see this page.");
    return false;
  }

  private static String decoded(String words) {
    try {
      return new String(Base64.getDecoder().decode(words.strip()), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException noBase64) {
      return "";
    }
  }
}

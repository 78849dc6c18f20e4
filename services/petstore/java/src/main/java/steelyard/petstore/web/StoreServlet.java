package steelyard.petstore.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import steelyard.petstore.PetStore;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.messaging.MessagingException;

/** What the servlets share: the store behind them, and a clear page where something is away. */
public abstract class StoreServlet extends HttpServlet {

  /** Under this name the platform puts the store into the servlet context, once it is ready. */
  public static final String STORE = PetStore.class.getName();

  private static final long serialVersionUID = 1;
  private static final Logger LOG = Logger.getLogger(StoreServlet.class.getName());

  /** Answers one request. */
  protected abstract void answer(
      PetStore store, HttpServletRequest request, HttpServletResponse response)
      throws IOException, ServletException, SQLException, BadDocumentException;

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    PetStore store = (PetStore) getServletContext().getAttribute(STORE);
    if (store == null) {
      away(response, "The store is not open yet.");
      return;
    }
    try {
      store.prepare(); // where the database was away at the start
      request.setCharacterEncoding("UTF-8");
      answer(store, request, response);
    } catch (SQLException gone) {
      LOG.log(Level.WARNING, "the database is away: {0}", gone.getMessage());
      away(response, "The store cannot look into its books at the moment. Nothing was ordered.");
    } catch (MessagingException gone) {
      LOG.log(Level.WARNING, "the broker is away: {0}", gone.getMessage());
      away(response, "Orders cannot be taken at the moment. Nothing was ordered.");
    } catch (BadDocumentException bad) {
      Html.refusal(response, HttpServletResponse.SC_BAD_REQUEST, bad.getMessage());
    }
  }

  private static void away(HttpServletResponse response, String what) throws IOException {
    response.setHeader("Retry-After", "5");
    Html.refusal(
        response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, what + " Please try again soon.");
  }

  /** A field of the request, never null. */
  protected static String field(HttpServletRequest request, String name) {
    String value = request.getParameter(name);
    return value == null ? "" : value.strip();
  }

  /** Whether the method is among these; else the refusal is answered already. */
  protected static boolean allows(
      HttpServletRequest request, HttpServletResponse response, String method) throws IOException {
    if (request.getMethod().equals(method)) {
      return true;
    }
    response.setHeader("Allow", method);
    Html.refusal(
        response,
        HttpServletResponse.SC_METHOD_NOT_ALLOWED,
        "This page is asked for with " + method + ".");
    return false;
  }
}

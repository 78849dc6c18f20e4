package steelyard.petstore.shop;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * What the shop knows of one visitor between requests: the cart, who it is, and the mark that the
 * next order form must carry. Each mark is good for one order. To be used under its own lock.
 */
public final class Visit implements Serializable {

  private static final long serialVersionUID = 1;
  private static final String NAME = Visit.class.getName();
  private static final int MOST_ITEMS = 50;
  private static final int MOST_OF_ONE = 99;
  private static final int REMEMBERED = 20;

  private final LinkedHashMap<String, Integer> cart = new LinkedHashMap<>();
  private final LinkedHashMap<String, String> placed = new LinkedHashMap<>();
  private String customer;
  private String email;
  private String form = newMark();

  /** The visitor's, or a new one. */
  public static Visit of(HttpServletRequest request) {
    HttpSession session = request.getSession();
    synchronized (Visit.class) {
      Visit visit = (Visit) session.getAttribute(NAME);
      if (visit == null) {
        visit = new Visit();
        session.setAttribute(NAME, visit);
      }
      return visit;
    }
  }

  private static String newMark() {
    return UUID.randomUUID().toString();
  }

  /** False where the cart holds as much as it may already. */
  boolean add(String item) {
    if (!cart.containsKey(item) && cart.size() >= MOST_ITEMS) {
      return false;
    }
    return cart.merge(item, 1, (old, one) -> Math.min(old + one, MOST_OF_ONE + 1)) <= MOST_OF_ONE;
  }

  void remove(String item) {
    cart.remove(item);
  }

  Map<String, Integer> cart() {
    return cart;
  }

  boolean isSignedIn() {
    return customer != null;
  }

  String customer() {
    return customer;
  }

  String email() {
    return email;
  }

  String form() {
    return form;
  }

  /** A mark that was shown before the sign-in is worth nothing after it. */
  void signIn(Catalog.Account account) {
    customer = account.id();
    email = account.email();
    form = newMark();
  }

  /** The order that the form with this mark has placed before; null where none. */
  String placedBy(String mark) {
    return placed.get(mark);
  }

  void remember(String mark, String order) {
    placed.put(mark, order);
    if (placed.size() > REMEMBERED) {
      placed.remove(placed.keySet().iterator().next());
    }
    cart.clear();
    form = newMark();
  }
}

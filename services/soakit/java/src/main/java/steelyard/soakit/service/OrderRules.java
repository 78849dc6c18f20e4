package steelyard.soakit.service;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The rules of The Buffet: one for every element (contract/README.md). */
final class OrderRules {

  static final List<String> HEADER =
      List.of("OrderNumber", "Customer", "Mail", "Country", "Currency", "OrderDate");
  static final List<String> PART =
      List.of(
          "Number",
          "Sku",
          "Description",
          "Quantity",
          "Unit",
          "UnitPrice",
          "Total",
          "NeededBy",
          "Warehouse");

  private static final Pattern ORDER_NUMBER = Pattern.compile("ORD-[0-9]{8}");
  private static final Pattern MAIL =
      Pattern.compile("[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+");
  private static final Pattern SKU = Pattern.compile("[A-Z]{3}-[0-9]{5}");
  private static final Pattern QUANTITY = Pattern.compile("[1-9][0-9]{0,3}");
  private static final Pattern PRICE = Pattern.compile("[0-9]{1,6}\\.[0-9]{2}");
  private static final Pattern TOTAL = Pattern.compile("[0-9]{1,10}\\.[0-9]{2}");
  private static final Pattern DATE = Pattern.compile("20[0-9]{2}-[0-9]{2}-[0-9]{2}");
  private static final Pattern WAREHOUSE = Pattern.compile("W[0-9]{2}");
  private static final Set<String> COUNTRIES =
      Set.of("AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US");
  private static final Set<String> CURRENCIES = Set.of("CHF", "EUR", "GBP", "JPY", "USD");
  private static final Set<String> UNITS = Set.of("each", "box", "kilogram", "litre", "metre");

  private final List<Answer.Validation.Violation> violations = new ArrayList<>();
  private String orderNumber = "";
  private String customer = "";
  private LocalDate ordered; // null: no date
  private int parts;

  /** The header's texts, in the order of HEADER; null where there is none. */
  void header(String... texts) {
    String[] given = present(texts);
    orderNumber = given[0];
    customer = given[1];
    ordered = date(given[5]);
    check(HEADER, 0, given, 0, ORDER_NUMBER.matcher(given[0]).matches());
    check(HEADER, 0, given, 1, isText(given[1], 40));
    check(HEADER, 0, given, 2, MAIL.matcher(given[2]).matches());
    check(HEADER, 0, given, 3, COUNTRIES.contains(given[3]));
    check(HEADER, 0, given, 4, CURRENCIES.contains(given[4]));
    check(HEADER, 0, given, 5, ordered != null);
  }

  /** The next part's texts, in the order of PART; null where there is none. */
  void part(String... texts) {
    String[] given = present(texts);
    parts++;
    LocalDate needed = date(given[7]);
    check(PART, parts, given, 0, given[0].equals(Integer.toString(parts)));
    check(PART, parts, given, 1, SKU.matcher(given[1]).matches());
    check(PART, parts, given, 2, isText(given[2], 80));
    check(PART, parts, given, 3, QUANTITY.matcher(given[3]).matches());
    check(PART, parts, given, 4, UNITS.contains(given[4]));
    check(PART, parts, given, 5, PRICE.matcher(given[5]).matches());
    check(PART, parts, given, 6, isTotal(given[3], given[5], given[6]));
    check(PART, parts, given, 7, needed != null && (ordered == null || !needed.isBefore(ordered)));
    check(PART, parts, given, 8, WAREHOUSE.matcher(given[8]).matches());
  }

  Answer.Validation validation() {
    return new Answer.Validation(orderNumber, customer, parts, violations);
  }

  private void check(List<String> names, int part, String[] texts, int place, boolean holds) {
    if (!holds) {
      violations.add(new Answer.Validation.Violation(part, names.get(place), texts[place]));
    }
  }

  private static boolean isTotal(String quantity, String price, String total) {
    if (!TOTAL.matcher(total).matches()) {
      return false;
    }
    if (!QUANTITY.matcher(quantity).matches() || !PRICE.matcher(price).matches()) {
      return true;
    }
    return new BigDecimal(quantity).multiply(new BigDecimal(price)).compareTo(new BigDecimal(total))
        == 0;
  }

  private static boolean isText(String text, int most) {
    return text.codePointCount(0, text.length()) <= most && text.chars().anyMatch(c -> c != ' ');
  }

  private static LocalDate date(String text) {
    if (!DATE.matcher(text).matches()) {
      return null;
    }
    try {
      return LocalDate.parse(text);
    } catch (DateTimeException noDay) {
      return null;
    }
  }

  private static String[] present(String[] texts) {
    String[] given = texts.clone();
    for (int place = 0; place < given.length; place++) {
      given[place] = given[place] == null ? "" : given[place];
    }
    return given;
  }
}

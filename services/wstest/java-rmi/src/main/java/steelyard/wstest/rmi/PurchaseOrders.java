package steelyard.wstest.rmi;

import java.math.BigDecimal;
import java.time.LocalDate;

/** Purchase orders by the rule in contract/wstest.xsd (type PurchaseOrder). */
final class PurchaseOrders {

  private PurchaseOrders() {}

  static PurchaseOrder order(int n) {
    var items = new LineItem[5 + n % 6];
    int totalCents = 0;
    for (int i = 1; i <= items.length; i++) {
      int quantity = 1 + (n + i) % 9;
      int cents = 100 + 7 * (n % 1000) + 25 * i;
      totalCents += quantity * cents;
      items[i - 1] = item(n, i, quantity, cents);
    }
    return new PurchaseOrder(
        n,
        "PO-" + padded(n, 9),
        LocalDate.of(2004, 1 + n % 12, 1 + n % 28),
        customer(1000 + n % 9000),
        address(n),
        address(n / 10),
        items,
        money(totalCents));
  }

  private static Customer customer(int id) {
    return new Customer(id, "Customer " + id, "customer" + id + "@example.com");
  }

  private static Address address(int k) {
    return new Address(
        (1 + k % 199) + " Main Street",
        "City " + k % 100,
        "State " + k % 50,
        padded(k % 100_000, 5),
        "US");
  }

  private static LineItem item(int n, int i, int quantity, int cents) {
    return new LineItem(
        i,
        "SKU-" + padded(n % 10_000 + 37 * i, 5),
        "Nuts & bolts, size " + (1 + (n + i) % 12),
        quantity,
        money(cents));
  }

  private static BigDecimal money(int cents) {
    return BigDecimal.valueOf(cents, 2);
  }

  /** The number with leading zeros; String.format would cost more than the rest of the order. */
  private static String padded(int number, int width) {
    String digits = Integer.toString(number);
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }
}

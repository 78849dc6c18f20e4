package steelyard.shop;

import java.util.List;

/** An order that was accepted; its id is in the header Location. */
public record PlacedOrder(String customer, List<OrderLine> lines, long totalCents) {

  public PlacedOrder(String customer, List<OrderLine> lines) {
    this(customer, lines, total(lines));
  }

  static long total(List<OrderLine> lines) {
    long total = 0;
    for (OrderLine line : lines) {
      total += line.quantity() * line.priceCents();
    }
    return total;
  }
}

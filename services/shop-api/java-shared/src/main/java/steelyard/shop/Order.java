package steelyard.shop;

import java.util.List;

/** An order as it is kept. */
public record Order(long id, String customer, List<OrderLine> lines, long totalCents) {

  public Order(long id, String customer, List<OrderLine> lines) {
    this(id, customer, lines, PlacedOrder.total(lines));
  }
}

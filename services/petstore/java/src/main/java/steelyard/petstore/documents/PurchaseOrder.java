package steelyard.petstore.documents;

import java.util.List;

/** What a customer ordered; `placed` is an xs:dateTime. */
public record PurchaseOrder(
    String id,
    String customer,
    String email,
    String placed,
    Address address,
    List<OrderLine> lines) {

  /** What it costs, in cents. */
  public long total() {
    return lines.stream().mapToLong(OrderLine::total).sum();
  }
}

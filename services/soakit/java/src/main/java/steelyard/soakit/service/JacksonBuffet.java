package steelyard.soakit.service;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.dataformat.xml.annotation.JacksonXmlRootElement;
import java.util.List;

/** The Buffet as Jackson XML binds it. */
final class JacksonBuffet {

  private JacksonBuffet() {}

  static Validation answer(Document order) {
    var rules = new OrderRules();
    Header header = order.header;
    if (header != null) {
      rules.header(
          header.orderNumber,
          header.customer,
          header.mail,
          header.country,
          header.currency,
          header.orderDate);
    }
    if (order.parts != null) {
      for (Part part : order.parts.part) {
        rules.part(
            part.number,
            part.sku,
            part.description,
            part.quantity,
            part.unit,
            part.unitPrice,
            part.total,
            part.neededBy,
            part.warehouse);
      }
    }
    Answer.Validation answer = rules.validation();
    List<Violation> violations =
        answer.violations().stream()
            .map(one -> new Violation(one.part(), one.element(), one.value()))
            .toList();
    return new Validation(answer.orderNumber(), answer.customer(), answer.parts(), violations);
  }

  // An order, all of it. Jackson sets the fields.

  static final class Document {
    public Header header;
    public Parts parts;
  }

  static final class Header {
    public String orderNumber;
    public String customer;
    public String mail;
    public String country;
    public String currency;
    public String orderDate;
  }

  static final class Parts {
    public List<Part> part = List.of();
  }

  static final class Part {
    public String number;
    public String sku;
    public String description;
    public String quantity;
    public String unit;
    public String unitPrice;
    public String total;
    public String neededBy;
    public String warehouse;
  }

  @JacksonXmlRootElement(localName = "Validation", namespace = Names.BUFFET)
  @JsonPropertyOrder({"OrderNumber", "Customer", "Parts", "Violation"})
  record Validation(String orderNumber, String customer, int parts, List<Violation> violation) {}

  @JsonPropertyOrder({"Part", "Element", "Value"})
  record Violation(int part, String element, String value) {}
}

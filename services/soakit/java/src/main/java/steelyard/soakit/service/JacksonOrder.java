package steelyard.soakit.service;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.dataformat.xml.annotation.JacksonXmlProperty;
import com.fasterxml.jackson.dataformat.xml.annotation.JacksonXmlRootElement;
import com.fasterxml.jackson.dataformat.xml.annotation.JacksonXmlText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import javax.xml.XMLConstants;

/** TV Dinner as Jackson XML binds it: an xsi:type is known by its local name. */
final class JacksonOrder {

  private JacksonOrder() {}

  static Acknowledgement answer(Document document) {
    return bound(read(document));
  }

  private static Answer.Acknowledgement read(Document document) {
    ApplicationArea area = Binding.required(document.applicationArea, "ApplicationArea");
    DataArea data = Binding.required(document.dataArea, "DataArea");
    Order order = Binding.required(data.purchaseOrder, "PurchaseOrder");
    Header header = Binding.required(order.header, "Header");
    var book = new OrderBook();
    book.documentId(Text.of(area.documentId));
    book.orderId(Text.of(header.orderId));
    book.priority(header.priority == null ? null : header.priority.strip());
    for (Party party : header.party) {
      if (isOf(party.type, "BuyerParty")) {
        book.buyer(party.name, party.contact == null ? 0 : party.contact.telephone.size());
      }
    }
    for (Line line : order.line) {
      book.beginLine();
      book.lineNumber(line.lineNumber);
      line.subline.forEach(subline -> subline.into(book));
      book.endLine();
    }
    return book.acknowledged();
  }

  private static boolean isOf(String type, String name) {
    String given = type == null ? "" : type.strip();
    return given.substring(given.indexOf(':') + 1).equals(name);
  }

  private static Acknowledgement bound(Answer.Acknowledgement answer) {
    var order =
        new AcknowledgedOrder(
            answer.orderId(),
            answer.buyer(),
            answer.priority(),
            answer.telephones(),
            answer.lines().stream().map(AcknowledgedLine::of).toList(),
            answer.amount());
    var data = new AcknowledgedData(new Verb(answer.response()), order);
    return new Acknowledgement(answer.original(), data);
  }

  // What is asked of an order; the rest of it is passed over. Jackson sets the fields.

  static final class Document {
    public ApplicationArea applicationArea;
    public DataArea dataArea;
  }

  static final class ApplicationArea {
    public Text documentId;
  }

  static final class DataArea {
    public Order purchaseOrder;
  }

  static final class Order {
    public Header header;
    public List<Line> line = List.of();
  }

  static final class Header {
    public Text orderId;
    public String priority;
    public List<Party> party = List.of();
  }

  static final class Party {
    @JacksonXmlProperty(
        localName = "type",
        namespace = XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI,
        isAttribute = true)
    public String type;

    public String name;
    public Contact contact;
  }

  static final class Contact {
    public List<Object> telephone = List.of();
  }

  static final class Line {
    public BigInteger lineNumber;
    public List<Subline> subline = List.of();
  }

  static final class Subline {
    public Item item;
    public Number quantity;
    public Amount price;
    public List<Amount> freight = List.of();
    public List<Amount> discount = List.of();

    void into(OrderBook book) {
      book.beginSubline();
      if (item != null && isOf(item.type, "KitItem")) {
        book.kit();
      }
      book.quantity(Number.of(quantity));
      book.price(Amount.of(price));
      freight.forEach(charge -> book.freight(Amount.of(charge)));
      discount.forEach(charge -> book.discount(Amount.of(charge)));
      book.endSubline();
    }
  }

  static final class Item {
    @JacksonXmlProperty(
        localName = "type",
        namespace = XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI,
        isAttribute = true)
    public String type;
  }

  static final class Amount {
    public Number amount;

    static BigDecimal of(Amount around) {
      return around == null ? null : Number.of(around.amount);
    }
  }

  /** A number in an element that has attributes. */
  static final class Number {
    @JacksonXmlText public BigDecimal value;

    static BigDecimal of(Number number) {
      return number == null ? null : number.value;
    }
  }

  /** A text in an element that has attributes. */
  static final class Text {
    @JacksonXmlText public String value;

    static String of(Text text) {
      return text == null ? null : text.value;
    }
  }

  @JacksonXmlRootElement(localName = "AcknowledgePurchaseOrder", namespace = Names.ORDER)
  @JsonPropertyOrder({"Original", "DataArea"})
  record Acknowledgement(String original, AcknowledgedData dataArea) {}

  @JsonPropertyOrder({"Acknowledge", "PurchaseOrder"})
  record AcknowledgedData(Verb acknowledge, AcknowledgedOrder purchaseOrder) {}

  record Verb(String response) {}

  @JsonPropertyOrder({"OrderId", "Buyer", "Priority", "Telephones", "Line", "Amount"})
  record AcknowledgedOrder(
      String orderId,
      String buyer,
      String priority,
      int telephones,
      List<AcknowledgedLine> line,
      BigDecimal amount) {}

  @JsonPropertyOrder({"LineNumber", "Sublines", "Kits", "Quantity", "Amount"})
  record AcknowledgedLine(
      BigInteger lineNumber, int sublines, int kits, BigDecimal quantity, BigDecimal amount) {

    static AcknowledgedLine of(Answer.Acknowledgement.Line line) {
      return new AcknowledgedLine(
          line.number(), line.sublines(), line.kits(), line.quantity(), line.amount());
    }
  }
}

package steelyard.soakit.service;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Counts and adds up a purchase order while a technique reads it. */
final class OrderBook {

  private final List<Answer.Acknowledgement.Line> lines = new ArrayList<>();
  private String documentId;
  private String orderId;
  private String buyer;
  private String priority;
  private int telephones;
  private BigDecimal total = BigDecimal.ZERO;

  private BigInteger lineNumber;
  private int sublines;
  private int kits;
  private BigDecimal lineQuantity;
  private BigDecimal lineAmount;

  private BigDecimal quantity;
  private BigDecimal price;
  private BigDecimal charges;
  private boolean kit;

  void documentId(String value) {
    documentId = value;
  }

  void orderId(String value) {
    orderId = value;
  }

  void priority(String value) {
    priority = value;
  }

  void buyer(String name, int numbers) {
    buyer = name;
    telephones = numbers;
  }

  void beginLine() {
    lineNumber = null;
    sublines = 0;
    kits = 0;
    lineQuantity = BigDecimal.ZERO;
    lineAmount = BigDecimal.ZERO;
  }

  void lineNumber(BigInteger value) {
    lineNumber = value;
  }

  void beginSubline() {
    quantity = null;
    price = null;
    charges = BigDecimal.ZERO;
    kit = false;
  }

  void kit() {
    kit = true;
  }

  void quantity(BigDecimal value) {
    quantity = value;
  }

  void price(BigDecimal value) {
    price = value;
  }

  void freight(BigDecimal value) {
    charges = charges.add(present(value, "Amount"));
  }

  void discount(BigDecimal value) {
    charges = charges.subtract(present(value, "Amount"));
  }

  void endSubline() {
    sublines++;
    kits += kit ? 1 : 0;
    lineQuantity = lineQuantity.add(present(quantity, "Quantity"));
    lineAmount = lineAmount.add(quantity.multiply(present(price, "Price"))).add(charges);
  }

  void endLine() {
    lines.add(
        new Answer.Acknowledgement.Line(
            present(lineNumber, "LineNumber"), sublines, kits, lineQuantity, lineAmount));
    total = total.add(lineAmount);
  }

  Answer.Acknowledgement acknowledged() {
    return new Answer.Acknowledgement(
        present(documentId, "DocumentId"),
        present(orderId, "OrderId"),
        present(buyer, "Party of the buyer"),
        present(priority, "Priority"),
        telephones,
        lines,
        total);
  }

  private static <T> T present(T value, String element) {
    if (value == null) {
      throw new BadDocument("the order lacks a " + element);
    }
    return value;
  }
}

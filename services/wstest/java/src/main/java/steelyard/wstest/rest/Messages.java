package steelyard.wstest.rest;

import jakarta.json.bind.adapter.JsonbAdapter;
import jakarta.json.bind.annotation.JsonbTypeAdapter;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.List;
import steelyard.wstest.contract.Address;
import steelyard.wstest.contract.Customer;
import steelyard.wstest.contract.LineItem;
import steelyard.wstest.contract.ListItem;
import steelyard.wstest.contract.PurchaseOrder;
import steelyard.wstest.contract.Struct;

/** What the messages are in JSON, where that differs from the contract's classes. */
public final class Messages {

  private Messages() {}

  /** An object without values. */
  public static final class Nothing {}

  /** The array of echoStruct. */
  public static final class Structs {
    public List<Struct> structs;
  }

  /** The linked list of echoList; without one, the list is absent. */
  public static final class Chain {
    public ListItem list;
  }

  /** The parameters of echoSynthetic. */
  public static final class Synthetic {
    public String text;
    public Struct struct;

    @JsonbTypeAdapter(InBase64.class)
    public byte[] bytes;
  }

  /**
   * Bytes as base64 in a text, which not every server's configuration of JSON Binding can ask for.
   */
  public static final class InBase64 implements JsonbAdapter<byte[], String> {
    @Override
    public String adaptToJson(byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    public byte[] adaptFromJson(String text) {
      return Base64.getDecoder().decode(text);
    }
  }

  /** A purchase order, its lines named as several, its date a text. */
  public static final class Order {
    public final int orderId;
    public final String reference;
    public final String orderDate;
    public final Customer customer;
    public final Address billingAddress;
    public final Address shippingAddress;
    public final List<Line> items;
    public final double total;

    Order(PurchaseOrder order) {
      orderId = order.getOrderId();
      reference = order.getReference();
      orderDate = order.getOrderDate().toXMLFormat();
      customer = order.getCustomer();
      billingAddress = order.getBillingAddress();
      shippingAddress = order.getShippingAddress();
      items = order.getItem().stream().map(Line::new).toList();
      total = number(order.getTotal());
    }
  }

  /** A line of an order. */
  public static final class Line {
    public final int lineNumber;
    public final String sku;
    public final String description;
    public final int quantity;
    public final double unitPrice;

    Line(LineItem item) {
      lineNumber = item.getLineNumber();
      sku = item.getSku();
      description = item.getDescription();
      quantity = item.getQuantity();
      unitPrice = number(item.getUnitPrice());
    }
  }

  /** An amount as JSON's number: a decimal would be a text to some servers. */
  private static double number(BigDecimal amount) {
    return amount.doubleValue();
  }
}

package steelyard.wstest;

import java.math.BigDecimal;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeConstants;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import steelyard.wstest.contract.Address;
import steelyard.wstest.contract.Customer;
import steelyard.wstest.contract.LineItem;
import steelyard.wstest.contract.PurchaseOrder;

/** Purchase orders by the rule in contract/wstest.xsd (type PurchaseOrder). */
public final class PurchaseOrders {

  private static final DatatypeFactory DATATYPES = datatypes();

  private PurchaseOrders() {}

  public static PurchaseOrder order(int n) {
    var order = new PurchaseOrder();
    order.setOrderId(n);
    order.setReference("PO-" + padded(n, 9));
    order.setOrderDate(date(2004, 1 + n % 12, 1 + n % 28));
    order.setCustomer(customer(1000 + n % 9000));
    order.setBillingAddress(address(n));
    order.setShippingAddress(address(n / 10));
    int totalCents = 0;
    for (int i = 1; i <= 5 + n % 6; i++) {
      int quantity = 1 + (n + i) % 9;
      int cents = 100 + 7 * (n % 1000) + 25 * i;
      totalCents += quantity * cents;
      order.getItem().add(item(n, i, quantity, cents));
    }
    order.setTotal(money(totalCents));
    return order;
  }

  private static Customer customer(int id) {
    var customer = new Customer();
    customer.setCustomerId(id);
    customer.setName("Customer " + id);
    customer.setEmail("customer" + id + "@example.com");
    return customer;
  }

  private static Address address(int k) {
    var address = new Address();
    address.setStreet((1 + k % 199) + " Main Street");
    address.setCity("City " + k % 100);
    address.setState("State " + k % 50);
    address.setPostalCode(padded(k % 100_000, 5));
    address.setCountry("US");
    return address;
  }

  private static LineItem item(int n, int i, int quantity, int cents) {
    var item = new LineItem();
    item.setLineNumber(i);
    item.setSku("SKU-" + padded(n % 10_000 + 37 * i, 5));
    item.setDescription("Nuts & bolts, size " + (1 + (n + i) % 12));
    item.setQuantity(quantity);
    item.setUnitPrice(money(cents));
    return item;
  }

  private static BigDecimal money(int cents) {
    return BigDecimal.valueOf(cents, 2);
  }

  private static XMLGregorianCalendar date(int year, int month, int day) {
    return DATATYPES.newXMLGregorianCalendarDate(
        year, month, day, DatatypeConstants.FIELD_UNDEFINED);
  }

  /** The number with leading zeros; String.format would cost more than the rest of the order. */
  private static String padded(int number, int width) {
    String digits = Integer.toString(number);
    return "0".repeat(Math.max(0, width - digits.length())) + digits;
  }

  private static DatatypeFactory datatypes() {
    try {
      return DatatypeFactory.newInstance();
    } catch (DatatypeConfigurationException e) {
      throw new IllegalStateException("this JVM has no XML datatypes", e);
    }
  }
}

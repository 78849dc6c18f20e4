package steelyard.petstore.messaging;

/** The transition points between workflow steps. */
public enum Destination {
  PURCHASE_ORDERS("PurchaseOrders"),
  ORDER_APPROVALS("OrderApprovals"),
  SUPPLIER_ORDERS("SupplierOrders"),
  INVOICES("Invoices"),
  MAILS("Mails"),
  /** What no step can read, kept for whoever looks after it. */
  REFUSED("Refused");

  private final String address;

  Destination(String address) {
    this.address = address;
  }

  /** Its name on the broker. */
  public String address() {
    return address;
  }

  /** Whether every subscriber gets each message, not one of the receivers. */
  public boolean isTopic() {
    return this == INVOICES;
  }
}

package steelyard.petstore.messaging;

/** The receivers of messages: each listens to one destination, and two to the invoices. */
public enum Receiver {
  PURCHASE_ORDER(Destination.PURCHASE_ORDERS),
  ORDER_APPROVAL(Destination.ORDER_APPROVALS),
  SUPPLIER_ORDER(Destination.SUPPLIER_ORDERS),
  INVOICE(Destination.INVOICES),
  MAIL_INVOICE(Destination.INVOICES),
  MAIL(Destination.MAILS);

  private final Destination destination;

  Receiver(Destination destination) {
    this.destination = destination;
  }

  public Destination destination() {
    return destination;
  }
}

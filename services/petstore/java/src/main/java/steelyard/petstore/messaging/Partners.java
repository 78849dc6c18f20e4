package steelyard.petstore.messaging;

/** The web services of center and supplier, as their clients see them. */
public interface Partners {

  /** Hands a supplierOrder to the supplier; raises MessagingException where it was not taken. */
  void submitOrder(String document);

  /** Hands an invoice to the center; raises MessagingException where it was not taken. */
  void submitInvoice(String document);
}

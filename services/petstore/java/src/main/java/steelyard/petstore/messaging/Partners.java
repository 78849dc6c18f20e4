package steelyard.petstore.messaging;

/**
 * The web services of center and supplier, as their clients see them. A `messageId` tells a
 * document that comes again from another one; null where the receiver keeps none.
 */
public interface Partners {

  /** Hands a supplierOrder to the supplier; raises MessagingException where it was not taken. */
  void submitOrder(String messageId, String document);

  /** Hands an invoice to the center; raises MessagingException where it was not taken. */
  void submitInvoice(String messageId, String document);
}

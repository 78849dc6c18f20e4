package steelyard.petstore.messaging;

import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;

/** What the web services do: validate a document, and put it where its workflow begins. */
public final class Reception {

  private final Documents documents;
  private final Messenger messenger;

  public Reception(Documents documents, Messenger messenger) {
    this.documents = documents;
    this.messenger = messenger;
  }

  /** Gives the order's id. */
  public String order(String document) throws BadDocumentException {
    String id = documents.supplierOrder(document).id();
    messenger.send(Destination.SUPPLIER_ORDERS, document);
    return id;
  }

  /** Gives the order's id. */
  public String invoice(String document) throws BadDocumentException {
    String id = documents.invoice(document).id();
    messenger.send(Destination.INVOICES, document);
    return id;
  }
}

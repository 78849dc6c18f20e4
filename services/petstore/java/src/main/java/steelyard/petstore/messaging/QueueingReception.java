package steelyard.petstore.messaging;

import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;

/** Validates a document, and puts it where its workflow begins. */
public final class QueueingReception implements Reception {

  private final Documents documents;
  private final Messenger messenger;

  public QueueingReception(Documents documents, Messenger messenger) {
    this.documents = documents;
    this.messenger = messenger;
  }

  @Override
  public String order(String messageId, String document) throws BadDocumentException {
    String id = documents.supplierOrder(document).id();
    messenger.send(Destination.SUPPLIER_ORDERS, document);
    return id;
  }

  @Override
  public String invoice(String messageId, String document) throws BadDocumentException {
    String id = documents.invoice(document).id();
    messenger.send(Destination.INVOICES, document);
    return id;
  }
}

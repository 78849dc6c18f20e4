package steelyard.petstore.messaging;

import steelyard.petstore.documents.BadDocumentException;

/** What the web services do with a document that comes. */
public interface Reception {

  /** Takes a supplierOrder; gives the order's id. `messageId` is null where none came along. */
  String order(String messageId, String document) throws BadDocumentException;

  /** Takes an invoice; gives the order's id. `messageId` is null where none came along. */
  String invoice(String messageId, String document) throws BadDocumentException;
}

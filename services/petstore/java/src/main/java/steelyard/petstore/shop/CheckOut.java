package steelyard.petstore.shop;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import steelyard.petstore.documents.Address;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.OrderLine;
import steelyard.petstore.documents.PurchaseOrder;
import steelyard.petstore.events.EventLog;
import steelyard.petstore.messaging.TransitionDelegate;

/** Takes orders: each becomes a document for the order processing center. */
public final class CheckOut {

  private final Documents documents;
  private final TransitionDelegate toCenter;
  private final EventLog events;
  private final LongAdder accepted = new LongAdder();

  public CheckOut(Documents documents, TransitionDelegate toCenter, EventLog events) {
    this.documents = documents;
    this.toCenter = toCenter;
    this.events = events;
  }

  /**
   * The number of the order, which the center has when this returns. Raises BadDocumentException
   * where something in it cannot be ordered, MessagingException where the center is away.
   */
  String place(String customer, String email, Address address, List<OrderLine> lines)
      throws BadDocumentException {
    long received = System.nanoTime();
    String id = UUID.randomUUID().toString();
    String document =
        documents.text(
            new PurchaseOrder(id, customer, email, Instant.now().toString(), address, lines));
    documents.purchaseOrder(document); // validated at this end, too
    toCenter.pass(document);
    events.record(EventLog.ORDER_RECEIVED, id, received);
    accepted.increment();
    return id;
  }

  /** How many orders were taken since the start. */
  public long accepted() {
    return accepted.sum();
  }
}

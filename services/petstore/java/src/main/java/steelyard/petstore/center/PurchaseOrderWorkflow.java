package steelyard.petstore.center;

import java.sql.Connection;
import java.sql.SQLException;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.OrderApproval;
import steelyard.petstore.documents.PurchaseOrder;
import steelyard.petstore.messaging.TransitionDelegate;
import steelyard.petstore.messaging.Workflow;

/** Keeps a new order, and approves it at once where it is a small one; others wait for a person. */
public final class PurchaseOrderWorkflow implements Workflow {

  /** From here on somebody must look at an order, in cents. */
  static final long APPROVED_BELOW = 50_000;

  private final Documents documents;
  private final Orders orders;
  private final TransitionDelegate toApproval;

  public PurchaseOrderWorkflow(Documents documents, Orders orders, TransitionDelegate toApproval) {
    this.documents = documents;
    this.orders = orders;
    this.toApproval = toApproval;
  }

  @Override
  public void handle(String document, Connection database)
      throws BadDocumentException, SQLException {
    PurchaseOrder order = documents.purchaseOrder(document);
    if (orders.find(order.id(), database).isPresent()) {
      return; // the message came again: what it asks for is done
    }
    orders.insert(order, document, database);
    if (order.total() < APPROVED_BELOW) {
      toApproval.pass(documents.text(new OrderApproval(order.id(), true)));
    }
  }
}

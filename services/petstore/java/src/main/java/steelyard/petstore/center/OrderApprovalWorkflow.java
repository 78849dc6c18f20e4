package steelyard.petstore.center;

import java.sql.Connection;
import java.sql.SQLException;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.OrderApproval;
import steelyard.petstore.documents.PurchaseOrder;
import steelyard.petstore.documents.SupplierOrder;
import steelyard.petstore.events.EventLog;
import steelyard.petstore.messaging.TransitionDelegate;
import steelyard.petstore.messaging.Workflow;

/** Tells the customer whether the order is approved, and if so orders from the supplier. */
public final class OrderApprovalWorkflow implements Workflow {

  private final Documents documents;
  private final Orders orders;
  private final Mails mails;
  private final TransitionDelegate toSupplier;
  private final EventLog events;

  public OrderApprovalWorkflow(
      Documents documents,
      Orders orders,
      Mails mails,
      TransitionDelegate toSupplier,
      EventLog events) {
    this.documents = documents;
    this.orders = orders;
    this.mails = mails;
    this.toSupplier = toSupplier;
    this.events = events;
  }

  /**
   * Where message and database are two ends of one transaction, the approval may be here before the
   * order can be seen: after a crash, for as long as the database is not told what was decided.
   */
  @Override
  public void handle(String document, Connection database)
      throws BadDocumentException, SQLException {
    OrderApproval approval = documents.orderApproval(document);
    String status = approval.approved() ? Orders.APPROVED : Orders.DENIED;
    boolean decided = orders.move(approval.id(), Orders.PENDING, status, database);
    Orders.Known known =
        orders
            .find(approval.id(), database)
            .orElseThrow(
                () ->
                    new SQLException(
                        "the order " + approval.id() + " is decided before it is kept"));
    if (!decided) {
      return; // it was before
    }
    if (!approval.approved()) {
      mails.denied(known);
      return;
    }
    PurchaseOrder order = documents.purchaseOrder(known.document());
    mails.approved(known);
    String wanted = documents.text(new SupplierOrder(order.id(), order.address(), order.lines()));
    events.record(EventLog.SUPPLIER_CALL_BEGUN, order.id());
    toSupplier.pass(wanted);
    events.record(EventLog.SUPPLIER_CALL_ENDED, order.id());
  }
}

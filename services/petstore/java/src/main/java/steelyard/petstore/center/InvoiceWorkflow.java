package steelyard.petstore.center;

import java.sql.Connection;
import java.sql.SQLException;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.Invoice;
import steelyard.petstore.messaging.Workflow;

/** Notes what was shipped of an order, and tells the customer when that is all of it. */
public final class InvoiceWorkflow implements Workflow {

  private final Documents documents;
  private final Orders orders;
  private final Mails mails;

  public InvoiceWorkflow(Documents documents, Orders orders, Mails mails) {
    this.documents = documents;
    this.orders = orders;
    this.mails = mails;
  }

  /**
   * Where the supplier is ordered from outside the approval's transaction, its invoice may be here
   * before the approval is: the order is locked then, and this step waits for it. If the approval
   * was undone after all, so is this step, until the order is approved.
   */
  @Override
  public void handle(String document, Connection database)
      throws BadDocumentException, SQLException {
    Invoice invoice = documents.invoice(document);
    orders.lock(invoice.id(), database);
    orders.ship(invoice.id(), invoice.lines(), database);
    if (!orders.isShipped(invoice.id(), database)) {
      return;
    }
    if (orders.move(invoice.id(), Orders.APPROVED, Orders.COMPLETED, database)) {
      mails.completed(orders.find(invoice.id(), database).orElseThrow());
      return;
    }
    Orders.Known known = orders.invoiced(invoice.id(), database);
    if (known.status().equals(Orders.PENDING)) {
      throw new SQLException("the order " + known.id() + " is invoiced before it is approved");
    }
  }
}

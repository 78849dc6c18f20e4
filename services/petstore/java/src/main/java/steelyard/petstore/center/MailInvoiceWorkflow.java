package steelyard.petstore.center;

import java.sql.Connection;
import java.sql.SQLException;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.Invoice;
import steelyard.petstore.messaging.Workflow;

/** Tells the customer what is on its way: the invoice topic's other subscriber. */
public final class MailInvoiceWorkflow implements Workflow {

  private final Documents documents;
  private final Orders orders;
  private final Mails mails;

  public MailInvoiceWorkflow(Documents documents, Orders orders, Mails mails) {
    this.documents = documents;
    this.orders = orders;
    this.mails = mails;
  }

  @Override
  public void handle(String document, Connection database)
      throws BadDocumentException, SQLException {
    Invoice invoice = documents.invoice(document);
    mails.shipped(orders.invoiced(invoice.id(), database), invoice);
  }
}

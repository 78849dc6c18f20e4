package steelyard.petstore.supplier;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.Invoice;
import steelyard.petstore.documents.SupplierOrder;
import steelyard.petstore.events.EventLog;
import steelyard.petstore.messaging.TransitionDelegate;
import steelyard.petstore.messaging.Workflow;

/** Ships an order and sends the invoice, or keeps it until what it needs is in stock. */
public final class SupplierOrderWorkflow implements Workflow {

  private final Documents documents;
  private final Inventory inventory;
  private final TransitionDelegate toCenter;
  private final EventLog events;

  public SupplierOrderWorkflow(
      Documents documents, Inventory inventory, TransitionDelegate toCenter, EventLog events) {
    this.documents = documents;
    this.inventory = inventory;
    this.toCenter = toCenter;
    this.events = events;
  }

  /**
   * An order that comes again is shipped no second time. That its transaction was undone after the
   * invoice had gone, outside of it, cannot be known here: then there are two invoices.
   */
  @Override
  public void handle(String document, Connection database)
      throws BadDocumentException, SQLException {
    long arrived = System.nanoTime();
    SupplierOrder order = documents.supplierOrder(document);
    Optional<String> before = inventory.status(order.id(), database);
    if (before.isEmpty()) {
      events.record(EventLog.SUPPLIER_BEGUN, order.id(), arrived);
      inventory.insert(order.id(), document, database);
    } else if (before.get().equals(Inventory.SHIPPED)) {
      return;
    }
    if (!inventory.take(order.lines(), database)) {
      return; // it waits for the item to be restocked
    }
    inventory.shipped(order.id(), database);
    toCenter.pass(documents.text(new Invoice(order.id(), Instant.now().toString(), order.lines())));
  }
}

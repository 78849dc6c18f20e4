package steelyard.petstore.outbox;

import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.faults.PlantedFaults;
import steelyard.petstore.messaging.Receiver;
import steelyard.petstore.messaging.Reception;

/**
 * Does a document's work before it answers, in one transaction that also keeps the message's id: a
 * message that comes again is answered as before, and nothing is done twice.
 */
public final class IdempotentReception implements Reception {

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9-]{1,40}");

  /** Works on a document in the transaction that runs. */
  public interface Work {
    void receive(Receiver receiver, String document);
  }

  private final Documents documents;
  private final Inbox inbox;
  private final Relay relay;
  private final Work work;
  private final PlantedFaults faults;

  public IdempotentReception(
      Documents documents, DataSource database, Relay relay, Work work, PlantedFaults faults) {
    this.documents = documents;
    this.inbox = new Inbox(database);
    this.relay = relay;
    this.work = work;
    this.faults = faults;
  }

  @Override
  public String order(String messageId, String document) throws BadDocumentException {
    String id = documents.supplierOrder(document).id();
    once(messageId, document, List.of(Receiver.SUPPLIER_ORDER));
    return id;
  }

  @Override
  public String invoice(String messageId, String document) throws BadDocumentException {
    String id = documents.invoice(document).id();
    once(messageId, document, List.of(Receiver.INVOICE, Receiver.MAIL_INVOICE));
    return id;
  }

  private void once(String messageId, String document, List<Receiver> receivers)
      throws BadDocumentException {
    if (messageId == null || !ID.matcher(messageId).matches()) {
      throw new BadDocumentException(
          "the document comes without a messageId of letters, digits and hyphens, by which it is known again");
    }
    relay.committed(
        () -> {
          if (inbox.remember(messageId)) {
            receivers.forEach(receiver -> work.receive(receiver, document));
          }
        });
    faults.atCommit("reception", document);
  }
}

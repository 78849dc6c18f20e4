package steelyard.petstore.center;

import java.util.stream.Collectors;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.Invoice;
import steelyard.petstore.documents.Mail;
import steelyard.petstore.messaging.TransitionDelegate;

/** What customers are told about their orders: each mail is a document for the mailer. */
public final class Mails {

  private final Documents documents;
  private final TransitionDelegate toMailer;

  public Mails(Documents documents, TransitionDelegate toMailer) {
    this.documents = documents;
    this.toMailer = toMailer;
  }

  void approved(Orders.Known order) {
    send(order, "approved", "Your order is approved and goes to our supplier.");
  }

  void denied(Orders.Known order) {
    send(order, "denied", "We cannot carry out your order. Nothing was charged.");
  }

  void shipped(Orders.Known order, Invoice invoice) {
    String lines =
        invoice.lines().stream()
            .map(line -> line.quantity() + " of " + line.item())
            .collect(Collectors.joining("\n"));
    send(order, "shipped", "On their way to you:\n" + lines);
  }

  void completed(Orders.Known order) {
    send(order, "completed", "All that you ordered was shipped. Thank you!");
  }

  private void send(Orders.Known order, String kind, String text) {
    String subject = "Order " + order.id() + " " + kind;
    String greeting = "Dear " + order.name() + ",\n\n";
    toMailer.pass(
        documents.text(new Mail(order.id(), kind, order.email(), subject, greeting + text)));
  }
}

package steelyard.petstore.jakartaee;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import steelyard.petstore.messaging.Receiver;

/** Receives invoices, for the customer's mail. */
@MessageDriven(
    activationConfig = {
      @ActivationConfigProperty(
          propertyName = "destinationLookup",
          propertyValue = "java:app/jms/Invoices"),
      @ActivationConfigProperty(
          propertyName = "destinationType",
          propertyValue = "jakarta.jms.Topic"),
      @ActivationConfigProperty(propertyName = "subscriptionDurability", propertyValue = "Durable"),
      @ActivationConfigProperty(propertyName = "subscriptionName", propertyValue = "mail-invoice"),
      @ActivationConfigProperty(propertyName = "clientId", propertyValue = "mail-invoice"),
      @ActivationConfigProperty(propertyName = "shareSubscriptions", propertyValue = "true")
    })
public class MailInvoiceBean extends Receiving {

  public MailInvoiceBean() {
    super(Receiver.MAIL_INVOICE);
  }
}

package steelyard.petstore.jakartaee;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import steelyard.petstore.messaging.Receiver;

/** Receives invoices, for the order's books. */
@MessageDriven(
    activationConfig = {
      @ActivationConfigProperty(
          propertyName = "destinationLookup",
          propertyValue = "java:app/jms/Invoices"),
      @ActivationConfigProperty(
          propertyName = "destinationType",
          propertyValue = "jakarta.jms.Topic"),
      @ActivationConfigProperty(propertyName = "subscriptionDurability", propertyValue = "Durable"),
      @ActivationConfigProperty(propertyName = "subscriptionName", propertyValue = "invoice"),
      @ActivationConfigProperty(propertyName = "clientId", propertyValue = "invoice"),
      @ActivationConfigProperty(propertyName = "shareSubscriptions", propertyValue = "true")
    })
public class InvoiceBean extends Receiving {

  public InvoiceBean() {
    super(Receiver.INVOICE);
  }
}

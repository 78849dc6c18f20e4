package steelyard.petstore.jakartaee;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import steelyard.petstore.messaging.Receiver;

/** Receives purchase orders from the web site. */
@MessageDriven(
    activationConfig = {
      @ActivationConfigProperty(
          propertyName = "destinationLookup",
          propertyValue = "java:app/jms/PurchaseOrders"),
      @ActivationConfigProperty(
          propertyName = "destinationType",
          propertyValue = "jakarta.jms.Queue")
    })
public class PurchaseOrderBean extends Receiving {

  public PurchaseOrderBean() {
    super(Receiver.PURCHASE_ORDER);
  }
}

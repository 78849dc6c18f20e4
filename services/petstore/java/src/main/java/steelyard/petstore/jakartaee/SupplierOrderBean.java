package steelyard.petstore.jakartaee;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import steelyard.petstore.messaging.Receiver;

/** Receives the center's orders at the supplier. */
@MessageDriven(
    activationConfig = {
      @ActivationConfigProperty(
          propertyName = "destinationLookup",
          propertyValue = "java:app/jms/SupplierOrders"),
      @ActivationConfigProperty(
          propertyName = "destinationType",
          propertyValue = "jakarta.jms.Queue")
    })
public class SupplierOrderBean extends Receiving {

  public SupplierOrderBean() {
    super(Receiver.SUPPLIER_ORDER);
  }
}

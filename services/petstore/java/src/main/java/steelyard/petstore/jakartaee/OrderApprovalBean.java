package steelyard.petstore.jakartaee;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import steelyard.petstore.messaging.Receiver;

/** Receives approvals and denials of orders. */
@MessageDriven(
    activationConfig = {
      @ActivationConfigProperty(
          propertyName = "destinationLookup",
          propertyValue = "java:app/jms/OrderApprovals"),
      @ActivationConfigProperty(
          propertyName = "destinationType",
          propertyValue = "jakarta.jms.Queue")
    })
public class OrderApprovalBean extends Receiving {

  public OrderApprovalBean() {
    super(Receiver.ORDER_APPROVAL);
  }
}

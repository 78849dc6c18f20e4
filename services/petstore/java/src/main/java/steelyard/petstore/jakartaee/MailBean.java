package steelyard.petstore.jakartaee;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import steelyard.petstore.messaging.Receiver;

/** Receives mails to be sent. */
@MessageDriven(
    activationConfig = {
      @ActivationConfigProperty(
          propertyName = "destinationLookup",
          propertyValue = "java:app/jms/Mails"),
      @ActivationConfigProperty(
          propertyName = "destinationType",
          propertyValue = "jakarta.jms.Queue")
    })
public class MailBean extends Receiving {

  public MailBean() {
    super(Receiver.MAIL);
  }
}

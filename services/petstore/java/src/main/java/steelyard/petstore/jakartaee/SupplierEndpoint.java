package steelyard.petstore.jakartaee;

import jakarta.ejb.EJB;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.jws.WebService;
import steelyard.petstore.documents.BadDocumentException;

/** The supplier's web service: validates an order, and sees to it that its workflow begins. */
@WebService(
    endpointInterface = "steelyard.petstore.jakartaee.SupplierOrders",
    serviceName = "SupplierOrders",
    portName = "SupplierOrders",
    targetNamespace = "urn:steelyard:petstore")
@TransactionAttribute(
    TransactionAttributeType.SUPPORTS) // where XTS is there, it joins the caller's
public class SupplierEndpoint implements SupplierOrders {

  @EJB private Application application;

  @Override
  public String submitOrder(String document, String messageId) {
    try {
      return application.store().reception().order(messageId, document);
    } catch (BadDocumentException bad) {
      throw Faults.refused(bad);
    }
  }
}

package steelyard.petstore.jakartaee;

import jakarta.ejb.EJB;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.jws.WebService;
import steelyard.petstore.documents.BadDocumentException;

/** The center's web service: validates an invoice, and sees to it that its workflows begin. */
@WebService(
    endpointInterface = "steelyard.petstore.jakartaee.Invoices",
    serviceName = "Invoices",
    portName = "Invoices",
    targetNamespace = "urn:steelyard:petstore")
@TransactionAttribute(
    TransactionAttributeType.SUPPORTS) // where XTS is there, it joins the caller's
public class CenterEndpoint implements Invoices {

  @EJB private Application application;

  @Override
  public String submitInvoice(String document, String messageId) {
    try {
      return application.store().reception().invoice(messageId, document);
    } catch (BadDocumentException bad) {
      throw Faults.refused(bad);
    }
  }
}

package steelyard.petstore.springws;

import javax.xml.transform.Source;
import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;
import org.springframework.ws.soap.server.endpoint.annotation.FaultCode;
import org.springframework.ws.soap.server.endpoint.annotation.SoapFault;
import org.springframework.xml.transform.StringSource;
import org.w3c.dom.Element;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.messaging.Reception;

/** Where supplier and center take documents from each other. */
@Endpoint
public class PartnerEndpoint {

  private final Reception reception;
  private final Documents documents;

  PartnerEndpoint(Reception reception, Documents documents) {
    this.reception = reception;
    this.documents = documents;
  }

  @PayloadRoot(namespace = Documents.NAMESPACE, localPart = "submitOrder")
  @ResponsePayload
  public Source submitOrder(@RequestPayload Element request) throws RefusedException {
    try {
      String id = reception.order(request.getTextContent());
      return new StringSource(documents.wrapped("submitOrderResponse", "id", id));
    } catch (BadDocumentException bad) {
      throw new RefusedException(bad.getMessage());
    }
  }

  @PayloadRoot(namespace = Documents.NAMESPACE, localPart = "submitInvoice")
  @ResponsePayload
  public Source submitInvoice(@RequestPayload Element request) throws RefusedException {
    try {
      String id = reception.invoice(request.getTextContent());
      return new StringSource(documents.wrapped("submitInvoiceResponse", "id", id));
    } catch (BadDocumentException bad) {
      throw new RefusedException(bad.getMessage());
    }
  }

  /** A fault that says what is wrong with the document. */
  @SoapFault(faultCode = FaultCode.CLIENT)
  static final class RefusedException extends Exception {

    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }
}

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
import org.w3c.dom.Node;
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
      String id = reception.order(child(request, "messageId"), child(request, "document"));
      return new StringSource(documents.receipt("submitOrderResponse", id));
    } catch (BadDocumentException bad) {
      throw new RefusedException(bad.getMessage());
    }
  }

  @PayloadRoot(namespace = Documents.NAMESPACE, localPart = "submitInvoice")
  @ResponsePayload
  public Source submitInvoice(@RequestPayload Element request) throws RefusedException {
    try {
      String id = reception.invoice(child(request, "messageId"), child(request, "document"));
      return new StringSource(documents.receipt("submitInvoiceResponse", id));
    } catch (BadDocumentException bad) {
      throw new RefusedException(bad.getMessage());
    }
  }

  /** The text of a child, null where there is none. */
  private static String child(Element request, String name) {
    Node found = request.getElementsByTagNameNS(Documents.NAMESPACE, name).item(0);
    return found == null ? null : found.getTextContent();
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

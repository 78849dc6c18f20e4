package steelyard.petstore.springws;

import javax.xml.transform.dom.DOMResult;
import org.springframework.ws.client.WebServiceClientException;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.xml.transform.StringSource;
import steelyard.petstore.Settings;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.messaging.MessagingException;
import steelyard.petstore.messaging.Partners;

/** Calls the partners' web services with a WebServiceTemplate. */
final class TemplatePartners implements Partners {

  private final Settings settings;
  private final WebServiceTemplate template;
  private final Documents documents = new Documents();

  TemplatePartners(Settings settings, WebServiceTemplate template) {
    this.settings = settings;
    this.template = template;
  }

  @Override
  public void submitOrder(String document) {
    call("SupplierOrders", "submitOrder", document);
  }

  @Override
  public void submitInvoice(String document) {
    call("Invoices", "submitInvoice", document);
  }

  private void call(String endpoint, String operation, String document) {
    String request = documents.wrapped(operation, "document", document);
    try {
      template.sendSourceAndReceiveToResult(
          settings.partnerUrl(endpoint), new StringSource(request), new DOMResult());
    } catch (WebServiceClientException refused) {
      throw new MessagingException("the web service " + endpoint + " did not answer", refused);
    }
  }
}

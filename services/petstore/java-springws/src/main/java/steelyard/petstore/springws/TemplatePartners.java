package steelyard.petstore.springws;

import javax.xml.transform.dom.DOMResult;
import org.springframework.ws.client.WebServiceClientException;
import org.springframework.ws.client.core.WebServiceTemplate;
import org.springframework.xml.transform.StringSource;
import steelyard.petstore.Part;
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
  public void submitOrder(String messageId, String document) {
    call(Part.SUPPLIER, documents.submission("submitOrder", messageId, document));
  }

  @Override
  public void submitInvoice(String messageId, String document) {
    call(Part.CENTER, documents.submission("submitInvoice", messageId, document));
  }

  private void call(Part partner, String request) {
    try {
      template.sendSourceAndReceiveToResult(
          settings.partnerUrl(partner), new StringSource(request), new DOMResult());
    } catch (WebServiceClientException refused) {
      throw new MessagingException("the web service of " + partner + " did not answer", refused);
    }
  }
}

package steelyard.petstore.jakartaee;

import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.WebServiceException;
import jakarta.xml.ws.soap.SOAPBinding;
import java.util.function.Function;
import javax.xml.namespace.QName;
import steelyard.petstore.Part;
import steelyard.petstore.Settings;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.messaging.MessagingException;
import steelyard.petstore.messaging.Partners;

/**
 * Calls the partners' web services with dynamic proxies, one for each thread: they are not
 * thread-safe.
 */
final class JaxWsPartners implements Partners {

  private final ThreadLocal<SupplierOrders> supplier;
  private final ThreadLocal<Invoices> center;

  JaxWsPartners(Settings settings) {
    supplier =
        ThreadLocal.withInitial(
            () -> port(SupplierOrders.class, settings.partnerUrl(Part.SUPPLIER)));
    center = ThreadLocal.withInitial(() -> port(Invoices.class, settings.partnerUrl(Part.CENTER)));
  }

  @Override
  public void submitOrder(String messageId, String document) {
    call("supplier", port -> port.submitOrder(document, messageId), supplier);
  }

  @Override
  public void submitInvoice(String messageId, String document) {
    call("center", port -> port.submitInvoice(document, messageId), center);
  }

  private static <T> void call(String whom, Function<T, String> ask, ThreadLocal<T> port) {
    try {
      ask.apply(port.get());
    } catch (WebServiceException refused) {
      throw new MessagingException("the web service of the " + whom + " did not take it", refused);
    }
  }

  private static <T> T port(Class<T> type, String address) {
    QName name = new QName(Documents.NAMESPACE, type.getSimpleName());
    Service service = Service.create(name);
    service.addPort(name, SOAPBinding.SOAP11HTTP_BINDING, address);
    T port = service.getPort(name, type);
    ((BindingProvider) port)
        .getRequestContext()
        .put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, address);
    return port;
  }
}

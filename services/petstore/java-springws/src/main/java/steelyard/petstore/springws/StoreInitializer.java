package steelyard.petstore.springws;

import org.springframework.ws.transport.http.support.AbstractAnnotationConfigMessageDispatcherServletInitializer;

/** Registers the message dispatcher where center and supplier take documents. */
public class StoreInitializer extends AbstractAnnotationConfigMessageDispatcherServletInitializer {

  @Override
  protected Class<?>[] getRootConfigClasses() {
    return new Class<?>[] {StoreConfiguration.class, MessagingConfiguration.class};
  }

  @Override
  protected Class<?>[] getServletConfigClasses() {
    return new Class<?>[] {WebServiceConfiguration.class};
  }

  @Override
  protected String[] getServletMappings() {
    return new String[] {"/SupplierOrders", "/Invoices"};
  }
}

package steelyard.petstore.springws;

import org.springframework.ws.transport.http.support.AbstractAnnotationConfigMessageDispatcherServletInitializer;
import steelyard.petstore.Settings;

/** Registers the message dispatcher where center and supplier take documents. */
public class StoreInitializer extends AbstractAnnotationConfigMessageDispatcherServletInitializer {

  @Override
  protected Class<?>[] getRootConfigClasses() {
    boolean jta = Settings.of(System.getenv()).jta();
    return new Class<?>[] {
      StoreConfiguration.class,
      MessagingConfiguration.class,
      jta ? JtaConfiguration.class : LocalConfiguration.class
    };
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

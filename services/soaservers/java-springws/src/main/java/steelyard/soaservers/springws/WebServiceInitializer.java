package steelyard.soaservers.springws;

import java.util.Set;
import java.util.TreeSet;
import org.springframework.ws.transport.http.support.AbstractAnnotationConfigMessageDispatcherServletInitializer;
import steelyard.soaservers.Services;

/** Registers the message dispatcher at the address of every service. */
public class WebServiceInitializer
    extends AbstractAnnotationConfigMessageDispatcherServletInitializer {

  @Override
  protected Class<?>[] getRootConfigClasses() {
    return null;
  }

  @Override
  protected Class<?>[] getServletConfigClasses() {
    return new Class<?>[] {WebServiceConfiguration.class};
  }

  @Override
  protected String[] getServletMappings() {
    Set<String> addresses = new TreeSet<>(Services.shared().byAddress().keySet());
    addresses.add("Orchestration");
    return addresses.stream().map(address -> "/" + address).toArray(String[]::new);
  }
}

package steelyard.wstest.springws;

import org.springframework.ws.transport.http.support.AbstractAnnotationConfigMessageDispatcherServletInitializer;

/** Registers the message dispatcher where the contract wants the service. */
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
    return new String[] {"/WSTest"};
  }
}

package steelyard.soakit.service;

import org.springframework.ws.transport.http.support.AbstractAnnotationConfigMessageDispatcherServletInitializer;

/**
 * Registers the message dispatcher where the contract wants the service, and where the filter hands
 * documents on that are to be read as the stack's own tree: it is one here already.
 */
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
    return new String[] {
      "/Text",
      "/TVDinner",
      "/SushiBoats",
      "/Buffet",
      "/TextRpc",
      "/TVDinnerRpc",
      "/SushiBoatsRpc",
      "/BuffetRpc",
      "/TVDinnerElement",
      "/SushiBoatsElement",
      "/BuffetElement"
    };
  }
}

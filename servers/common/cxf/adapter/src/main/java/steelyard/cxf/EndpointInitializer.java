package steelyard.cxf;

import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.xml.sax.SAXException;

/** Gives every endpoint that an application names in WEB-INF/sun-jaxws.xml a CXF servlet. */
public class EndpointInitializer implements ServletContainerInitializer {

  private static final String DESCRIPTOR = "/WEB-INF/sun-jaxws.xml";

  @Override
  public void onStartup(Set<Class<?>> classes, ServletContext application) throws ServletException {
    try (InputStream descriptor = application.getResourceAsStream(DESCRIPTOR)) {
      if (descriptor == null) {
        return;
      }
      for (EndpointDescription endpoint : EndpointDescription.read(descriptor)) {
        var servlet = application.addServlet(endpoint.name(), new EndpointServlet(endpoint));
        servlet.setLoadOnStartup(1);
        servlet.addMapping(endpoint.urlPattern());
      }
    } catch (IOException | SAXException e) {
      throw new ServletException(DESCRIPTOR + " cannot be read: " + e.getMessage(), e);
    }
  }
}

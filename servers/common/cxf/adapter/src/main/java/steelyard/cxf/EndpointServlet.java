package steelyard.cxf;

import jakarta.servlet.ServletConfig;
import jakarta.xml.ws.soap.SOAPBinding;
import org.apache.cxf.jaxws.EndpointImpl;
import org.apache.cxf.transport.servlet.CXFNonSpringServlet;

/** A CXF servlet with a bus of its own that publishes one endpoint at the servlet's own path. */
final class EndpointServlet extends CXFNonSpringServlet {

  private static final long serialVersionUID = 1;

  private final transient EndpointDescription endpoint;

  EndpointServlet(EndpointDescription endpoint) {
    this.endpoint = endpoint;
  }

  @Override
  protected void loadBus(ServletConfig config) {
    super.loadBus(config);
    String binding = endpoint.binding().isEmpty() ? null : endpoint.binding();
    var published = new EndpointImpl(getBus(), implementor(), binding);
    published.publish("/");
    if (endpoint.mtom()) {
      ((SOAPBinding) published.getBinding()).setMTOMEnabled(true);
    }
  }

  private Object implementor() {
    try {
      var applicationClasses = Thread.currentThread().getContextClassLoader();
      return Class.forName(endpoint.implementation(), true, applicationClasses)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "endpoint " + endpoint.name() + " has no usable class " + endpoint.implementation(), e);
    }
  }
}

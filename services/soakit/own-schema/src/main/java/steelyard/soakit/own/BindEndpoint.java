package steelyard.soakit.own;

import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBException;
import jakarta.xml.bind.Unmarshaller;
import jakarta.xml.bind.util.JAXBSource;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceException;
import jakarta.xml.ws.WebServiceProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.transform.Source;

/**
 * Makes objects of a document, by the classes that JAXB's compiler made of its schema, and a
 * document of the objects: what binding costs, whatever the document means.
 */
@WebServiceProvider(
    serviceName = "Bind",
    portName = "BindPort",
    targetNamespace = "urn:steelyard:soakit:own",
    wsdlLocation = "WEB-INF/wsdl/bind.wsdl")
@ServiceMode(Service.Mode.PAYLOAD)
public class BindEndpoint implements Provider<Source> {

  private static final JAXBContext CONTEXT = context();

  @Override
  public Source invoke(Source content) {
    if (content == null) {
      throw new WebServiceException("the message is empty");
    }
    try {
      Unmarshaller unmarshaller = CONTEXT.createUnmarshaller();
      unmarshaller.setEventHandler(event -> false); // JAXB would pass over values of a wrong type
      return new JAXBSource(CONTEXT, unmarshaller.unmarshal(content));
    } catch (JAXBException e) {
      throw new WebServiceException("the document cannot be read", e);
    }
  }

  /** Of the packages that make.sh found, one for each namespace. */
  private static JAXBContext context() {
    ClassLoader classes = BindEndpoint.class.getClassLoader();
    try (InputStream packages = BindEndpoint.class.getResourceAsStream("/packages")) {
      String path = new String(packages.readAllBytes(), StandardCharsets.UTF_8).strip();
      return JAXBContext.newInstance(path, classes);
    } catch (IOException | JAXBException e) {
      throw new IllegalStateException("the classes of the schema cannot be bound", e);
    }
  }
}

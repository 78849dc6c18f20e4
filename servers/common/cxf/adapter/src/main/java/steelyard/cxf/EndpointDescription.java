package steelyard.cxf;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/**
 * One endpoint element of sun-jaxws.xml; the binding is empty where the implementation says it.
 * With MTOM, bytes stand beside the envelope.
 */
record EndpointDescription(
    String name, String implementation, String urlPattern, String binding, boolean mtom) {

  private static final String NAMESPACE = "http://java.sun.com/xml/ns/jax-ws/ri/runtime";

  /** The endpoints of a descriptor; a document type declaration is refused. */
  static List<EndpointDescription> read(InputStream descriptor) throws IOException, SAXException {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    try {
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      var document = factory.newDocumentBuilder().parse(descriptor);
      var elements = document.getElementsByTagNameNS(NAMESPACE, "endpoint");
      return IntStream.range(0, elements.getLength())
          .mapToObj(index -> of((Element) elements.item(index)))
          .toList();
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("this JVM's XML parser cannot refuse document types", e);
    }
  }

  private static EndpointDescription of(Element element) {
    return new EndpointDescription(
        element.getAttribute("name"),
        element.getAttribute("implementation"),
        element.getAttribute("url-pattern"),
        element.getAttribute("binding"),
        element.getAttribute("enable-mtom").equals("true"));
  }
}

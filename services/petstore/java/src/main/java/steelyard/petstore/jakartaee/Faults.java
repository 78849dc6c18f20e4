package steelyard.petstore.jakartaee;

import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPFactory;
import jakarta.xml.ws.soap.SOAPFaultException;
import javax.xml.namespace.QName;
import steelyard.petstore.documents.BadDocumentException;

/** Faults of the web services. */
final class Faults {

  private static final QName CLIENT =
      new QName("http://schemas.xmlsoap.org/soap/envelope/", "Client");

  private Faults() {}

  /** One that says what is wrong with a document, and holds no trace. */
  static SOAPFaultException refused(BadDocumentException bad) {
    try {
      return new SOAPFaultException(
          SOAPFactory.newInstance().createFault(bad.getMessage(), CLIENT));
    } catch (SOAPException impossible) {
      throw new IllegalStateException("a fault cannot be made", impossible);
    }
  }
}

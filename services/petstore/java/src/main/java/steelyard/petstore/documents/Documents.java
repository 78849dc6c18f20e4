package steelyard.petstore.documents;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.ErrorHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/**
 * The documents as strings, and back: every string that comes in is validated against the published
 * schema, and may hold neither a document type nor anything from outside. Thread-safe.
 */
public final class Documents {

  public static final String NAMESPACE = "urn:steelyard:petstore";

  private static final int LONGEST = 200_000; // characters; a hundred lines are far below

  private final DocumentBuilderFactory parsers;
  private final XMLOutputFactory writers = XMLOutputFactory.newDefaultFactory();

  /** With the schema `petstore.xsd` of the class path; raises IllegalStateException without it. */
  public Documents() {
    parsers = DocumentBuilderFactory.newDefaultNSInstance();
    try (InputStream published = Documents.class.getResourceAsStream("/petstore.xsd")) {
      SchemaFactory schemas = SchemaFactory.newDefaultInstance();
      schemas.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
      schemas.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "");
      Schema schema = schemas.newSchema(new StreamSource(published));
      parsers.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      parsers.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      parsers.setXIncludeAware(false);
      parsers.setExpandEntityReferences(false);
      parsers.setSchema(schema);
    } catch (IOException | SAXException | ParserConfigurationException broken) {
      throw new IllegalStateException("the schema of the documents cannot be read", broken);
    }
  }

  public PurchaseOrder purchaseOrder(String text) throws BadDocumentException {
    Element root = parsed(text, "purchaseOrder");
    return new PurchaseOrder(
        root.getAttribute("id"),
        child(root, "customer"),
        child(root, "email"),
        child(root, "placed"),
        address(root),
        lines(root));
  }

  public OrderApproval orderApproval(String text) throws BadDocumentException {
    return approval(parsed(text, "orderApproval"));
  }

  public List<OrderApproval> orderApprovals(String text) throws BadDocumentException {
    return children(parsed(text, "orderApprovals"), "orderApproval").stream()
        .map(Documents::approval)
        .toList();
  }

  public SupplierOrder supplierOrder(String text) throws BadDocumentException {
    Element root = parsed(text, "supplierOrder");
    return new SupplierOrder(root.getAttribute("id"), address(root), lines(root));
  }

  public Invoice invoice(String text) throws BadDocumentException {
    Element root = parsed(text, "invoice");
    return new Invoice(root.getAttribute("id"), child(root, "shipped"), lines(root));
  }

  public Mail mail(String text) throws BadDocumentException {
    Element root = parsed(text, "mail");
    return new Mail(
        root.getAttribute("order"),
        root.getAttribute("kind"),
        child(root, "to"),
        child(root, "subject"),
        child(root, "text"));
  }

  public String text(PurchaseOrder order) {
    return written(
        "purchaseOrder",
        xml -> {
          xml.writeAttribute("id", order.id());
          element(xml, "customer", order.customer());
          element(xml, "email", order.email());
          element(xml, "placed", order.placed());
          write(xml, order.address());
          write(xml, order.lines());
        });
  }

  public String text(OrderApproval approval) {
    return written(
        "orderApproval",
        xml -> {
          xml.writeAttribute("id", approval.id());
          xml.writeAttribute("approved", Boolean.toString(approval.approved()));
        });
  }

  public String text(SupplierOrder order) {
    return written(
        "supplierOrder",
        xml -> {
          xml.writeAttribute("id", order.id());
          write(xml, order.address());
          write(xml, order.lines());
        });
  }

  public String text(Invoice invoice) {
    return written(
        "invoice",
        xml -> {
          xml.writeAttribute("id", invoice.id());
          element(xml, "shipped", invoice.shipped());
          write(xml, invoice.lines());
        });
  }

  public String text(Mail mail) {
    return written(
        "mail",
        xml -> {
          xml.writeAttribute("order", mail.order());
          xml.writeAttribute("kind", mail.kind());
          element(xml, "to", mail.to());
          element(xml, "subject", mail.subject());
          element(xml, "text", mail.text());
        });
  }

  /** What the web services answer: the order's id. */
  public String receipt(String root, String id) {
    return written(root, xml -> element(xml, "id", id));
  }

  /** What the web services are asked: a document as one string, and its message's id, or null. */
  public String submission(String root, String messageId, String document) {
    return written(
        root,
        xml -> {
          element(xml, "document", document);
          if (messageId != null) {
            element(xml, "messageId", messageId);
          }
        });
  }

  private Element parsed(String text, String root) throws BadDocumentException {
    if (text == null || text.isBlank()) {
      throw new BadDocumentException("there is no document");
    }
    if (text.length() > LONGEST) {
      throw new BadDocumentException("the document is longer than " + LONGEST + " characters");
    }
    Element found;
    try {
      DocumentBuilder parser = parsers.newDocumentBuilder();
      parser.setErrorHandler(new Strict());
      found = parser.parse(new InputSource(new StringReader(text))).getDocumentElement();
    } catch (SAXParseException broken) {
      throw new BadDocumentException(
          "the document is not valid, line " + broken.getLineNumber() + ": " + broken.getMessage());
    } catch (SAXException | IOException | ParserConfigurationException broken) {
      throw new BadDocumentException("the document cannot be read: " + broken.getMessage());
    }
    if (!root.equals(found.getLocalName())) {
      throw new BadDocumentException(
          "the document is a " + found.getLocalName() + ", where a " + root + " is due");
    }
    return found;
  }

  private static OrderApproval approval(Element element) {
    String approved = element.getAttribute("approved");
    return new OrderApproval(
        element.getAttribute("id"), approved.equals("true") || approved.equals("1"));
  }

  private static Address address(Element root) {
    Element found = children(root, "address").get(0);
    return new Address(
        child(found, "name"),
        child(found, "street"),
        child(found, "city"),
        child(found, "country"));
  }

  private static List<OrderLine> lines(Element root) {
    return children(root, "line").stream()
        .map(
            line ->
                new OrderLine(
                    line.getAttribute("item"),
                    Integer.parseInt(line.getAttribute("quantity").strip()),
                    Integer.parseInt(line.getAttribute("cents").strip())))
        .toList();
  }

  private static String child(Element root, String name) {
    return children(root, name).get(0).getTextContent();
  }

  private static List<Element> children(Element root, String name) {
    List<Element> found = new ArrayList<>();
    for (Node node = root.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && name.equals(element.getLocalName())) {
        found.add(element);
      }
    }
    return found;
  }

  private interface Content {
    void write(XMLStreamWriter xml) throws XMLStreamException;
  }

  private String written(String root, Content content) {
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = writers.createXMLStreamWriter(text);
      xml.writeStartElement(root);
      xml.writeDefaultNamespace(NAMESPACE);
      content.write(xml);
      xml.writeEndElement();
      xml.close();
    } catch (XMLStreamException unwritable) {
      throw new IllegalArgumentException("the " + root + " cannot be written as XML", unwritable);
    }
    return text.toString();
  }

  private static void element(XMLStreamWriter xml, String name, String content)
      throws XMLStreamException {
    xml.writeStartElement(name);
    xml.writeCharacters(content);
    xml.writeEndElement();
  }

  private static void write(XMLStreamWriter xml, Address address) throws XMLStreamException {
    xml.writeStartElement("address");
    element(xml, "name", address.name());
    element(xml, "street", address.street());
    element(xml, "city", address.city());
    element(xml, "country", address.country());
    xml.writeEndElement();
  }

  private static void write(XMLStreamWriter xml, List<OrderLine> lines) throws XMLStreamException {
    for (OrderLine line : lines) {
      xml.writeEmptyElement("line");
      xml.writeAttribute("item", line.item());
      xml.writeAttribute("quantity", Integer.toString(line.quantity()));
      xml.writeAttribute("cents", Integer.toString(line.cents()));
    }
  }

  private static final class Strict implements ErrorHandler {

    @Override
    public void warning(SAXParseException found) {
      // A warning is no reason to refuse a document.
    }

    @Override
    public void error(SAXParseException found) throws SAXException {
      throw found;
    }

    @Override
    public void fatalError(SAXParseException found) throws SAXException {
      throw found;
    }
  }
}

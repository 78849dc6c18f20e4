package steelyard.soakit.service;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.NoSuchElementException;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Source;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerConfigurationException;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamResult;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.Attributes;
import org.xml.sax.ContentHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.XMLFilterImpl;

/** DOM by the JDK's own Xerces: trees from texts and sources, and back. */
final class Trees {

  private static final DocumentBuilderFactory BUILDERS = builders();
  private static final TransformerFactory TRANSFORMERS = TransformerFactory.newDefaultInstance();

  private Trees() {}

  static Element parsed(String document) {
    try {
      return builder().parse(new InputSource(new StringReader(document))).getDocumentElement();
    } catch (SAXException | java.io.IOException e) {
      throw new BadDocument("the document cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * The root element of what a stack gives: its own tree where it has one, else a tree made of it.
   */
  static Element of(Source document) {
    Node node = document instanceof DOMSource tree ? tree.getNode() : transformed(document);
    return node instanceof Document whole ? whole.getDocumentElement() : (Element) node;
  }

  static Document empty() {
    return builder().newDocument();
  }

  static String text(Document document) {
    try {
      var text = new StringWriter();
      transformer().transform(new DOMSource(document), new StreamResult(text));
      return text.toString();
    } catch (TransformerException e) {
      throw new IllegalStateException("the answer cannot be written", e);
    }
  }

  static Transformer transformer() {
    try {
      Transformer transformer = TRANSFORMERS.newTransformer();
      transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
      return transformer;
    } catch (TransformerConfigurationException e) {
      throw new IllegalStateException("this JVM cannot transform XML", e);
    }
  }

  /** The child elements, in order; a text among them that is not white space is refused. */
  static Iterable<Element> children(Element parent) {
    return () -> new Children(parent.getFirstChild());
  }

  static boolean is(Element element, String namespace, String name) {
    return name.equals(element.getLocalName()) && namespace.equals(element.getNamespaceURI());
  }

  /** The text of an element that holds nothing else. */
  static String text(Element element) {
    var text = new StringBuilder();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      switch (node.getNodeType()) {
        case Node.TEXT_NODE, Node.CDATA_SECTION_NODE -> text.append(node.getNodeValue());
        case Node.COMMENT_NODE, Node.PROCESSING_INSTRUCTION_NODE -> {
          // mean nothing
        }
        default -> throw new BadDocument(element.getLocalName() + " holds more than a text");
      }
    }
    return text.toString();
  }

  /** Whether xsi:type names this type. */
  static boolean isOf(Element element, String namespace, String type) {
    String name =
        element.getAttributeNS(XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI, "type").strip();
    int colon = name.indexOf(':');
    return name.substring(colon + 1).equals(type)
        && namespace.equals(
            element.lookupNamespaceURI(colon < 0 ? null : name.substring(0, colon)));
  }

  /**
   * A source that is safe to read: what walks a tree of elements would not survive one of any
   * depth.
   */
  static Source shallow(Source document) {
    if (document instanceof DOMSource tree) {
      requireShallow(tree.getNode());
    }
    return document;
  }

  /** A source's events, for whoever knows no limit: they end where elements nest too deep. */
  static void tell(Source document, ContentHandler handler) {
    try {
      transformer().transform(document, new SAXResult(new Shallow(handler)));
    } catch (TransformerException e) {
      throw new BadDocument("the document cannot be read: " + e.getMessage(), e);
    }
  }

  /** Throws where a tree nests deeper than a document may. */
  static void requireShallow(Node top) {
    int depth = 0;
    Node node = top;
    while (node != null) {
      if (node.getFirstChild() != null) {
        node = node.getFirstChild();
        depth++;
        if (depth > Cursor.MOST_DEPTH) {
          throw new BadDocument("elements nest more than " + Cursor.MOST_DEPTH + " deep");
        }
        continue;
      }
      while (node != top && node.getNextSibling() == null) {
        node = node.getParentNode();
        depth--;
      }
      node = node == top ? null : node.getNextSibling();
    }
  }

  private static Node transformed(Source document) {
    try {
      var tree = new DOMResult(empty());
      transformer().transform(document, tree);
      return tree.getNode();
    } catch (TransformerException e) {
      throw new BadDocument("the document cannot be read: " + e.getMessage(), e);
    }
  }

  private static DocumentBuilder builder() {
    try {
      DocumentBuilder builder = BUILDERS.newDocumentBuilder();
      builder.setErrorHandler(null);
      return builder;
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("this JVM cannot build trees", e);
    }
  }

  private static DocumentBuilderFactory builders() {
    var factory = DocumentBuilderFactory.newDefaultNSInstance();
    try {
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("this JVM's XML parser cannot refuse document types", e);
    }
    return factory;
  }

  /** Events, but for those of elements that nest deeper than a document's may. */
  private static final class Shallow extends XMLFilterImpl {

    private int depth;

    Shallow(ContentHandler handler) {
      setContentHandler(handler);
    }

    @Override
    public void startElement(String namespace, String name, String written, Attributes attributes)
        throws SAXException {
      depth++;
      if (depth > Cursor.MOST_DEPTH) {
        throw new SAXException("elements nest more than " + Cursor.MOST_DEPTH + " deep");
      }
      super.startElement(namespace, name, written, attributes);
    }

    @Override
    public void endElement(String namespace, String name, String written) throws SAXException {
      depth--;
      super.endElement(namespace, name, written);
    }
  }

  /** The elements from a node on. */
  private static final class Children implements Iterator<Element> {

    private Node node;

    Children(Node first) {
      node = first;
      pass();
    }

    @Override
    public boolean hasNext() {
      return node != null;
    }

    @Override
    public Element next() {
      if (node == null) {
        throw new NoSuchElementException();
      }
      var element = (Element) node;
      node = node.getNextSibling();
      pass();
      return element;
    }

    private void pass() {
      while (node != null && node.getNodeType() != Node.ELEMENT_NODE) {
        if (node.getNodeType() != Node.COMMENT_NODE
            && node.getNodeType() != Node.PROCESSING_INSTRUCTION_NODE
            && !node.getNodeValue().isBlank()) {
          throw new BadDocument("text where an element should be");
        }
        node = node.getNextSibling();
      }
    }
  }
}

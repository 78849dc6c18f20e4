package steelyard.soakit.service;

import javax.xml.XMLConstants;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;

/** Walks a document by its stream of events, child by child, and builds nothing of it. */
final class Cursor {

  /**
   * How deep a document may nest. No product's own limit is lower (the least are CXF's and JDK
   * 25's, 100 with the envelope), so this one decides on all of them, whatever the technique.
   */
  static final int MOST_DEPTH = 80;

  private final XMLStreamReader reader;
  private int depth;

  Cursor(XMLStreamReader reader) {
    this.reader = reader;
  }

  /** The stream itself, for whoever goes on with it. */
  XMLStreamReader reader() {
    return reader;
  }

  /**
   * The stream for whoever goes on with it and knows no limit: it ends where elements nest too
   * deep.
   */
  XMLStreamReader shallow() {
    return new StreamReaderDelegate(reader) {
      @Override
      public int next() {
        return Cursor.this.next();
      }
    };
  }

  /** Goes to the root element. */
  void root() {
    while (next() != XMLStreamConstants.START_ELEMENT) {
      // comments and the like stand before it
    }
  }

  /** Reads to the end of the document, so that what follows its root is seen. */
  void end() {
    try {
      while (reader.hasNext()) {
        next();
      }
      reader.close();
    } catch (XMLStreamException e) {
      throw broken(e);
    }
  }

  /** From a message's content to the document that is due; how that stands in it. */
  Style enter(UseCase useCase) {
    Style style = useCase.style(namespace(), name());
    if (style != Style.BARE && !child()) {
      throw new BadDocument("the message holds no document");
    }
    useCase.require(style, namespace(), name());
    return style;
  }

  /** From the end of a document to that of the message's content. */
  void leave(Style style) {
    if (style != Style.BARE && child()) {
      throw new BadDocument("the message holds more than a document");
    }
    end();
  }

  /** Goes to the next child of the element around; false where it has no more, and at its end. */
  boolean child() {
    while (true) {
      switch (next()) {
        case XMLStreamConstants.START_ELEMENT -> {
          return true;
        }
        case XMLStreamConstants.END_ELEMENT -> {
          return false;
        }
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
          if (!reader.isWhiteSpace()) {
            throw new BadDocument("text where an element should be");
          }
        }
        default -> {
          // comments mean nothing
        }
      }
    }
  }

  String name() {
    return reader.getLocalName();
  }

  String namespace() {
    return reader.getNamespaceURI();
  }

  boolean is(String namespace, String name) {
    return name.equals(reader.getLocalName()) && namespace.equals(reader.getNamespaceURI());
  }

  /** An attribute's value; null where it is absent. */
  String attribute(String name) {
    return reader.getAttributeValue("", name);
  }

  /** The value of an attribute in a namespace; null where it is absent. */
  String attribute(String namespace, String name) {
    return reader.getAttributeValue(namespace, name);
  }

  /** Whether xsi:type names this type. */
  boolean isOf(String namespace, String type) {
    String given = reader.getAttributeValue(XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI, "type");
    if (given == null) {
      return false;
    }
    String name = given.strip();
    int colon = name.indexOf(':');
    String prefix = colon < 0 ? "" : name.substring(0, colon);
    return name.substring(colon + 1).equals(type)
        && namespace.equals(reader.getNamespaceURI(prefix));
  }

  /** The element's text; the cursor is then at its end. */
  String text() {
    try {
      depth--;
      return reader.getElementText();
    } catch (XMLStreamException e) {
      throw broken(e);
    }
  }

  /** Passes over the element with all inside. */
  void skip() {
    int around = depth - 1;
    while (depth > around) {
      next();
    }
  }

  private int next() {
    try {
      int event = reader.next();
      if (event == XMLStreamConstants.DTD) {
        throw new BadDocument("the document has a document type declaration");
      }
      if (event == XMLStreamConstants.ENTITY_REFERENCE) {
        throw new BadDocument("the document refers to an entity");
      }
      if (event == XMLStreamConstants.START_ELEMENT) {
        depth++;
        if (depth > MOST_DEPTH) {
          throw new BadDocument("elements nest more than " + MOST_DEPTH + " deep");
        }
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        depth--;
      }
      return event;
    } catch (XMLStreamException e) {
      throw broken(e);
    }
  }

  private static BadDocument broken(XMLStreamException e) {
    return new BadDocument("the document cannot be read: " + e.getMessage(), e);
  }
}

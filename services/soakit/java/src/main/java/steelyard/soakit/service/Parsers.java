package steelyard.soakit.service;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.transform.Source;
import javax.xml.transform.TransformerException;
import javax.xml.transform.stream.StreamResult;

/**
 * Stream parsers and writers of one library; they take no document types and nothing from outside.
 */
record Parsers(XMLInputFactory input, XMLOutputFactory output) {

  private static final Map<String, String[]> BROUGHT =
      Map.of(
          "woodstox",
              new String[] {
                "com.ctc.wstx.stax.WstxInputFactory", "com.ctc.wstx.stax.WstxOutputFactory"
              },
          "aalto",
              new String[] {
                "com.fasterxml.aalto.stax.InputFactoryImpl",
                "com.fasterxml.aalto.stax.OutputFactoryImpl"
              });

  Parsers {
    input.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    input.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    input.setProperty(XMLInputFactory.IS_COALESCING, false);
  }

  /** By the name of the factor stax: server, jdk, woodstox or aalto. */
  static Parsers named(String library) {
    return switch (library) {
      case "server" -> new Parsers(XMLInputFactory.newFactory(), XMLOutputFactory.newFactory());
      case "jdk" ->
          new Parsers(XMLInputFactory.newDefaultFactory(), XMLOutputFactory.newDefaultFactory());
      case "woodstox", "aalto" -> brought(BROUGHT.get(library));
      default -> throw new IllegalStateException("there is no StAX library " + library);
    };
  }

  XMLStreamReader reader(String document) {
    try {
      return input.createXMLStreamReader(new StringReader(document));
    } catch (XMLStreamException noXml) {
      throw new BadDocument("the document is not XML: " + noXml.getMessage(), noXml);
    }
  }

  /** What a stack gives, written out and read again. */
  XMLStreamReader reader(Source document) {
    try {
      var bytes = new ByteArrayOutputStream();
      Trees.transformer().transform(Trees.shallow(document), new StreamResult(bytes));
      return input.createXMLStreamReader(new ByteArrayInputStream(bytes.toByteArray()));
    } catch (TransformerException e) {
      throw new BadDocument("the document cannot be read: " + e.getMessage(), e);
    } catch (XMLStreamException noXml) {
      throw new BadDocument("the document is not XML: " + noXml.getMessage(), noXml);
    }
  }

  private static Parsers brought(String[] classes) {
    ClassLoader loader = Brought.stax();
    try {
      return new Parsers(
          (XMLInputFactory) loader.loadClass(classes[0]).getDeclaredConstructor().newInstance(),
          (XMLOutputFactory) loader.loadClass(classes[1]).getDeclaredConstructor().newInstance());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the library brought along has no " + classes[0], e);
    }
  }
}

package steelyard.soakit.service;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

  /** Libraries of our own stand apart, so that no server's stack takes them for its own. */
  private static Parsers brought(String[] classes) {
    try (InputStream list = resource("jars")) {
      var names = new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      var urls = new URL[names.size()];
      for (int place = 0; place < urls.length; place++) {
        urls[place] = copied(names.get(place));
      }
      var loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
      return new Parsers(
          (XMLInputFactory) loader.loadClass(classes[0]).getDeclaredConstructor().newInstance(),
          (XMLOutputFactory) loader.loadClass(classes[1]).getDeclaredConstructor().newInstance());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the library brought along has no " + classes[0], e);
    }
  }

  /** A file of its own: a product may keep the application in an archive of its own kind. */
  private static URL copied(String jar) throws IOException {
    Path file = Files.createTempFile("soakit-", ".jar");
    file.toFile().deleteOnExit();
    try (InputStream content = resource(jar)) {
      Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
    }
    return file.toUri().toURL();
  }

  private static InputStream resource(String name) {
    InputStream found = Parsers.class.getResourceAsStream("/brought/" + name);
    if (found == null) {
      throw new IllegalStateException("the application does not bring " + name + " along");
    }
    return found;
  }
}

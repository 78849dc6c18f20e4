package steelyard.soaservers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/** Who calls whom in environment 3: services by name in the file's order (contract/README.md). */
public record Graph(Node entry, Map<String, Node> services) {

  private static final String NAMESPACE = "urn:steelyard:soaservers:graph";
  private static final String VARIABLE = "STEELYARD_GRAPH";

  /** The graph in the file that STEELYARD_GRAPH names, else the contract's own. */
  public static Graph chosen() {
    String named = System.getenv(VARIABLE);
    boolean own = named == null || named.isEmpty();
    try (InputStream file =
        own
            ? Graph.class.getResourceAsStream("/graph.xml")
            : Files.newInputStream(Path.of(named))) {
      return read(file);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalStateException(
          (own ? "graph.xml" : named) + " cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * The graph in an XML file.
   *
   * @throws IllegalArgumentException that says which service is wrong
   */
  static Graph read(InputStream file) throws IOException {
    var root = root(file);
    var services = new LinkedHashMap<String, Node>();
    var elements = root.getElementsByTagNameNS(NAMESPACE, "service");
    for (int index = 0; index < elements.getLength(); index++) {
      Node node = node((Element) elements.item(index));
      if (services.put(node.name(), node) != null) {
        throw new IllegalArgumentException("there are two services " + node.name());
      }
    }
    Node entry = services.get(root.getAttribute("entry"));
    if (entry == null) {
      throw new IllegalArgumentException(
          "its entry '" + root.getAttribute("entry") + "' is no service of the graph");
    }
    var reached = new LinkedHashSet<String>();
    follow(entry, services, new LinkedHashSet<>(), reached);
    return new Graph(entry, services);
  }

  /** The place of a service in the file, from 1. */
  public int position(String name) {
    return List.copyOf(services.keySet()).indexOf(name) + 1;
  }

  private static Node node(Element element) {
    String calls = element.getAttribute("calls").strip();
    return new Node(
        element.getAttribute("name"),
        calls.isEmpty() ? List.of() : Arrays.asList(calls.split("\\s+")),
        element.getAttribute("order").equals("parallel"));
  }

  /** Walks the calls below a node once; an unknown callee or a cycle ends the walk. */
  private static void follow(
      Node node, Map<String, Node> services, Set<String> above, Set<String> done) {
    if (!above.add(node.name())) {
      throw new IllegalArgumentException(node.name() + " calls itself through " + above);
    }
    for (String name : node.calls()) {
      Node callee = services.get(name);
      if (callee == null) {
        throw new IllegalArgumentException(
            node.name() + " calls " + name + ", which is no service of the graph");
      }
      if (!done.contains(name)) {
        follow(callee, services, above, done);
      }
    }
    above.remove(node.name());
    done.add(node.name());
  }

  private static Element root(InputStream file) throws IOException {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    try {
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(file).getDocumentElement();
    } catch (SAXException e) {
      throw new IllegalArgumentException("it is not XML: " + e.getMessage(), e);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("this JVM's XML parser cannot refuse document types", e);
    }
  }
}

package steelyard.wstest;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.xml.ws.Endpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The endpoint answers every fixed exchange of the contract, published by Metro inside this JVM.
 */
class ContractTest {

  private static final Path EXCHANGES = Path.of("../contract/exchanges");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static Endpoint endpoint;
  private static URI address;

  @BeforeAll
  static void publish() throws IOException {
    address = URI.create("http://127.0.0.1:" + freePort() + "/wstest/WSTest");
    endpoint = Endpoint.publish(address.toString(), new WSTestEndpoint());
  }

  @AfterAll
  static void stop() {
    endpoint.stop();
  }

  static Stream<Path> requests() throws IOException {
    try (Stream<Path> files = Files.walk(EXCHANGES)) {
      return files
          .filter(file -> file.toString().endsWith(".request.xml"))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("requests")
  void fixedExchangeIsAnswered(Path request) throws Exception {
    Path expected = Path.of(request.toString().replace(".request.xml", ".answer.xml"));

    HttpResponse<byte[]> answer = post(Files.readAllBytes(request));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(values(answer.body())).isEqualTo(values(Files.readAllBytes(expected)));
  }

  @Test
  void unknownOperationIsFault() throws Exception {
    String known = Files.readString(EXCHANGES.resolve("echoVoid/void.request.xml"));

    HttpResponse<byte[]> answer = post(known.replace("echoVoid", "echoNothing").getBytes());

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(new String(answer.body())).contains("Fault");
  }

  private static HttpResponse<byte[]> post(byte[] body) throws Exception {
    var request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "text/xml; charset=utf-8")
            .header("SOAPAction", "\"\"")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    return CLIENT.send(request, BodyHandlers.ofByteArray());
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress("127.0.0.1", 0));
      return socket.getLocalPort();
    }
  }

  /** The elements of an envelope in document order, leaves with their values by type. */
  private static List<String> values(byte[] envelope) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    var document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(envelope));
    var values = new ArrayList<String>();
    collect(document.getDocumentElement(), values);
    return values;
  }

  private static void collect(Element element, List<String> values) {
    String name = "{" + element.getNamespaceURI() + "}" + element.getLocalName();
    var children = new ArrayList<Element>();
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child && !child.getLocalName().equals("Header")) {
        children.add(child);
      }
    }
    values.add(children.isEmpty() ? name + "=" + value(element) : name);
    children.forEach(child -> collect(child, values));
  }

  private static Object value(Element leaf) {
    String text = leaf.getTextContent();
    return switch (leaf.getLocalName()) {
      case "varInt" -> Integer.valueOf(text.strip());
      case "varFloat" -> number(text.strip());
      case "bytes" -> HexFormat.of().formatHex(Base64.getMimeDecoder().decode(text));
      case "echoStructResponse" -> text.strip();
      default -> text;
    };
  }

  private static float number(String text) {
    return Float.parseFloat(text.replace("INF", "Infinity"));
  }
}

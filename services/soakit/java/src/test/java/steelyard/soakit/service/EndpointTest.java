package steelyard.soakit.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.xml.ws.Endpoint;
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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;

/** The endpoints answer messages with messages, and bad ones with faults, published by Metro. */
class EndpointTest {

  private static final Path CONTRACT = Path.of("../contract");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final List<Endpoint> PUBLISHED = new ArrayList<>();
  private static final Map<String, String> FOLDERS =
      Map.of("tv-dinner", "TVDinner", "sushi-boats", "SushiBoats", "buffet", "Buffet");
  private static String address;

  @BeforeAll
  static void publish() throws IOException {
    address = "http://127.0.0.1:" + freePort() + "/soakit/";
    publish("Text", new TextEndpoint());
    publish("TVDinner", new TVDinnerEndpoint());
    publish("SushiBoats", new SushiBoatsEndpoint());
    publish("Buffet", new BuffetEndpoint());
    publish("TextRpc", new TextRpcEndpoint());
    publish("TVDinnerRpc", new TVDinnerRpcEndpoint());
    publish("SushiBoatsRpc", new SushiBoatsRpcEndpoint());
    publish("BuffetRpc", new BuffetRpcEndpoint());
    publish("TVDinnerElement", new TVDinnerElementEndpoint());
    publish("SushiBoatsElement", new SushiBoatsElementEndpoint());
    publish("BuffetElement", new BuffetElementEndpoint());
  }

  @AfterAll
  static void stop() {
    PUBLISHED.forEach(Endpoint::stop);
  }

  @TestFactory
  Stream<DynamicTest> everyMessageIsAnsweredWithAMessage() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (var folder : FOLDERS.entrySet()) {
      for (Path request : requests("exchanges/" + folder.getKey())) {
        for (String end : List.of("", "Element")) {
          tests.add(
              DynamicTest.dynamicTest(
                  folder.getValue() + end + " " + request.getFileName(),
                  () -> {
                    HttpResponse<String> answer =
                        post(folder.getValue() + end, Files.readString(request));
                    Path due = Path.of(request.toString().replace(".request.", ".answer."));
                    assertThat(answer.statusCode()).isEqualTo(200);
                    assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                        .startsWith("text/xml");
                    assertThat(marked(answer.body())).isEqualTo(marked(Files.readString(due)));
                  }));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(20);
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> whatIsAskedAtAnAddressOfItsOwnIsAnsweredThere() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (String folder : FOLDERS.keySet()) {
      for (Path file : files("exchanges/" + folder, ".exchange.json")) {
        JsonNode exchange = new ObjectMapper().readTree(file.toFile());
        tests.add(
            DynamicTest.dynamicTest(
                folder + " " + file.getFileName(),
                () -> {
                  String name =
                      exchange.path("path").asText("/" + FOLDERS.get(folder)).replaceAll(".*/", "");
                  HttpResponse<String> answer = post(name, exchange.get("request").asText());
                  boolean fault = exchange.path("fault").asBoolean();
                  assertThat(answer.statusCode()).isEqualTo(fault ? 500 : 200);
                  if (!fault) {
                    assertThat(marked(answer.body()))
                        .isEqualTo(marked(exchange.get("answer").asText()));
                  }
                }));
      }
    }
    assertThat(tests).hasSizeGreaterThan(20);
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> badMessagesGetFaults() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (Path request : requests("bad")) {
      for (String end : List.of("", "Element")) {
        tests.add(
            DynamicTest.dynamicTest(
                request.getFileName() + " to TVDinner" + end,
                () -> {
                  HttpResponse<String> answer = post("TVDinner" + end, Files.readString(request));
                  assertThat(answer.statusCode()).isEqualTo(500);
                  assertThat(answer.body()).contains("Fault");
                }));
      }
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> aStringIsAnsweredWithAString() throws Exception {
    String document =
        "&lt;b:Order xmlns:b='urn:steelyard:soakit:buffet'>&lt;b:Header/>&lt;b:Parts/>&lt;/b:Order>";
    var bodies = Map.of("buffetText", "<text>" + document + "</text>", "buffetBareText", document);
    return bodies.entrySet().stream()
        .map(
            one ->
                DynamicTest.dynamicTest(
                    one.getKey(),
                    () -> {
                      String content =
                          "<%1$s xmlns=\"%2$s\">%3$s</%1$s>"
                              .formatted(one.getKey(), Names.SERVICE, one.getValue());
                      HttpResponse<String> answer =
                          post(
                              "Text",
                              "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">"
                                  + "<s:Body>"
                                  + content
                                  + "</s:Body></s:Envelope>");
                      assertThat(answer.statusCode()).isEqualTo(200);
                      assertThat(answer.body())
                          .contains(one.getKey() + "Response")
                          .contains("&lt;")
                          .contains("OrderNumber");
                    }));
  }

  private static void publish(String name, Object implementation) {
    PUBLISHED.add(Endpoint.publish(address + name, implementation));
  }

  private static List<Path> requests(String folder) throws IOException {
    return files(folder, ".request.xml");
  }

  private static List<Path> files(String folder, String end) throws IOException {
    try (Stream<Path> files = Files.list(CONTRACT.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  /**
   * The message's elements in order, and the texts of those without children, or the elements of a
   * document that is one; no namespaces.
   */
  private static List<String> marked(String message) {
    var found = new ArrayList<String>();
    var elements = Trees.parsed(message).getElementsByTagNameNS("*", "*");
    for (int place = 0; place < elements.getLength(); place++) {
      var element = (Element) elements.item(place);
      boolean leaf = element.getElementsByTagNameNS("*", "*").getLength() == 0;
      String text = element.getTextContent();
      if (leaf && element.getLocalName().matches("answer|.*TextResponse")) {
        found.add(element.getLocalName());
        found.addAll(marked(text));
      } else if (!element.getLocalName().equals("Header")) {
        found.add(element.getLocalName() + (leaf ? "=" + number(text) : ""));
      }
    }
    return found;
  }

  private static String number(String text) {
    return text.matches("[0-9]+(\\.[0-9]+)?") ? Double.toString(Double.parseDouble(text)) : text;
  }

  private static HttpResponse<String> post(String name, String body) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(address + name))
            .header("Content-Type", "text/xml; charset=utf-8")
            .header("SOAPAction", "\"\"")
            .POST(BodyPublishers.ofString(body))
            .build();
    return CLIENT.send(request, BodyHandlers.ofString());
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress("127.0.0.1", 0));
      return socket.getLocalPort();
    }
  }
}

package steelyard.soakit.service;

import static org.springframework.ws.test.server.RequestCreators.withSoapEnvelope;
import static org.springframework.ws.test.server.ResponseMatchers.noFault;
import static org.springframework.ws.test.server.ResponseMatchers.payload;
import static org.springframework.ws.test.server.ResponseMatchers.serverOrReceiverFault;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.dom.DOMSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.ws.test.server.MockWebServiceClient;
import org.springframework.ws.test.server.RequestCreator;
import org.springframework.ws.test.server.ResponseMatchers;
import org.w3c.dom.Node;

/** Messages are answered with messages, wrapped, bare and as strings, and bad ones with faults. */
class SpringEndpointsTest {

  private static final Path CONTRACT = Path.of("../contract");
  private static final String ENVELOPE =
      "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>%s</s:Body></s:Envelope>";
  private static final String ORDER =
      "<b:Order xmlns:b=\"urn:steelyard:soakit:buffet\"><b:Header/><b:Parts/></b:Order>";
  private static final Map<String, String> SERVICE = Map.of("s", "urn:steelyard:soakit");
  private static MockWebServiceClient client;

  @BeforeAll
  static void createClient() {
    client =
        MockWebServiceClient.createClient(
            new AnnotationConfigApplicationContext(WebServiceConfiguration.class));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tv-dinner/wrapped",
        "tv-dinner/bare",
        "sushi-boats/wrapped",
        "sushi-boats/bare",
        "buffet/wrapped",
        "buffet/bare"
      })
  void aDocumentIsAnsweredByADocument(String name) throws Exception {
    client
        .sendRequest(withSoapEnvelope(resource("exchanges/" + name + ".request.xml")))
        .andExpect(payload(new DOMSource(payloadOf("exchanges/" + name + ".answer.xml"))));
  }

  @Test
  void aDocumentThatIsAStringIsAnsweredByOne() throws Exception {
    String text = ORDER.replace("<", "&lt;");
    client
        .sendRequest(
            message("<buffetBareText xmlns=\"urn:steelyard:soakit\">" + text + "</buffetBareText>"))
        .andExpect(noFault())
        .andExpect(
            ResponseMatchers.xpath("contains(/s:buffetBareTextResponse, 'OrderDate')", SERVICE)
                .evaluatesTo(true));
    client
        .sendRequest(
            message(
                "<buffetText xmlns=\"urn:steelyard:soakit\"><text>"
                    + text
                    + "</text></buffetText>"))
        .andExpect(noFault())
        .andExpect(
            ResponseMatchers.xpath("contains(/s:buffetTextResponse/s:answer, 'OrderDate')", SERVICE)
                .evaluatesTo(true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"deep", "no-order-id", "other-document", "wrong-types"})
  void aBadDocumentIsAnsweredByAFault(String name) throws Exception {
    client
        .sendRequest(withSoapEnvelope(resource("bad/" + name + ".request.xml")))
        .andExpect(serverOrReceiverFault());
  }

  private static RequestCreator message(String content) throws IOException {
    return withSoapEnvelope(new ByteArrayResource(ENVELOPE.formatted(content).getBytes()));
  }

  private static FileSystemResource resource(String name) {
    return new FileSystemResource(CONTRACT.resolve(name).toFile());
  }

  private static Node payloadOf(String name) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    return factory
        .newDocumentBuilder()
        .parse(CONTRACT.resolve(name).toFile())
        .getElementsByTagNameNS("http://schemas.xmlsoap.org/soap/envelope/", "Body")
        .item(0)
        .getFirstChild();
  }
}

package steelyard.wstest.springws;

import static org.springframework.ws.test.server.RequestCreators.withSoapEnvelope;
import static org.springframework.ws.test.server.ResponseMatchers.payload;

import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.dom.DOMSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.io.FileSystemResource;
import org.springframework.ws.test.server.MockWebServiceClient;
import org.w3c.dom.Node;

class WSTestEndpointTest {

  private static final Path EXCHANGES = Path.of("../contract/exchanges");
  private MockWebServiceClient client;

  @BeforeEach
  void createClient() {
    client =
        MockWebServiceClient.createClient(
            new AnnotationConfigApplicationContext(WebServiceConfiguration.class));
  }

  /** Those whose answers are the same text as well: the contract test compares all, by values. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "echoVoid/void",
        "echoStruct/three",
        "echoStruct/none",
        "echoList/twenty",
        "echoSynthetic/small",
        "getOrder/order-987654321"
      })
  void fixedExchangeIsAnswered(String name) throws Exception {
    client
        .sendRequest(withSoapEnvelope(new FileSystemResource(file(name, "request").toFile())))
        .andExpect(payload(new DOMSource(payloadOf(file(name, "answer")))));
  }

  private static Path file(String name, String part) {
    return EXCHANGES.resolve(name + "." + part + ".xml");
  }

  private static Node payloadOf(Path envelope) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    return factory
        .newDocumentBuilder()
        .parse(envelope.toFile())
        .getElementsByTagNameNS("http://schemas.xmlsoap.org/soap/envelope/", "Body")
        .item(0)
        .getFirstChild();
  }
}

package steelyard.soaservers.springws;

import static org.springframework.ws.test.server.RequestCreators.withSoapEnvelope;
import static org.springframework.ws.test.server.ResponseMatchers.payload;
import static org.springframework.ws.test.server.ResponseMatchers.serverOrReceiverFault;

import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.dom.DOMSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.io.FileSystemResource;
import org.springframework.ws.test.server.MockWebServiceClient;
import org.springframework.ws.test.server.RequestCreator;
import org.w3c.dom.Node;

class EndpointTest {

  private static final Path CONTRACT = Path.of("../contract");
  private MockWebServiceClient client;

  @BeforeEach
  void createClient() {
    client =
        MockWebServiceClient.createClient(
            new AnnotationConfigApplicationContext(WebServiceConfiguration.class));
  }

  /** Those that need no callee: calls are tested where the service runs on a server. */
  @ParameterizedTest
  @ValueSource(strings = {"plain", "empty", "markup", "not-ascii"})
  void fixedExchangeIsAnswered(String name) throws Exception {
    Path folder = CONTRACT.resolve("exchanges/single");
    client
        .sendRequest(envelope(folder.resolve(name + ".request.xml")))
        .andExpect(payload(new DOMSource(payloadOf(folder.resolve(name + ".answer.xml")))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-parameter", "no-second-parameter", "mesh-without-parameter"})
  void requestWithoutParameterIsFault(String name) throws Exception {
    client
        .sendRequest(envelope(CONTRACT.resolve("bad/" + name + ".request.xml")))
        .andExpect(serverOrReceiverFault("the request lacks a parameter"));
  }

  private static RequestCreator envelope(Path file) throws Exception {
    return withSoapEnvelope(new FileSystemResource(file.toFile()));
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

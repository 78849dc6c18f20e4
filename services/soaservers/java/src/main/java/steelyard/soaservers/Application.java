package steelyard.soaservers;

import jakarta.xml.ws.WebServiceException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import steelyard.soaservers.contract.Token;

/** What the endpoints share, made at the first request. */
final class Application {

  private static final Propagation PROPAGATION =
      new Propagation(new JaxWsCaller(Services.shared(), CallSettings.of(System.getenv())));

  private Application() {}

  /** The answer to a client: the tokens of a node and of all below it. */
  static List<Token> answer(Node node, String... parameters) {
    if (Arrays.stream(parameters).anyMatch(Objects::isNull)) {
      throw new WebServiceException("the request lacks a parameter");
    }
    return PROPAGATION.tokens(node, 0, List.of(parameters));
  }

  /** The answer to a caller, from the service at an address of this server. */
  static List<Token> answer(String address, int depth, List<String> parameters) {
    Node node = Services.shared().byAddress().get(address);
    if (node == null) {
      throw new WebServiceException("the graph has no service at " + address);
    }
    return PROPAGATION.tokens(node, depth, parameters);
  }
}

package steelyard.soaservers.springws;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;
import steelyard.soaservers.Node;
import steelyard.soaservers.Propagation;
import steelyard.soaservers.Services;
import steelyard.soaservers.contract.Mesh;
import steelyard.soaservers.contract.MeshResponse;
import steelyard.soaservers.contract.Pair;
import steelyard.soaservers.contract.PairResponse;
import steelyard.soaservers.contract.Single;
import steelyard.soaservers.contract.SingleResponse;
import steelyard.soaservers.contract.Token;

/**
 * Where clients ask: the service of environment 1, the main one of 2, and the orchestration point
 * of 3.
 */
@Endpoint
public class OrchestrationEndpoint {

  private static final String NAMESPACE = "urn:steelyard:soaservers";

  private final Services services;
  private final Propagation propagation;

  OrchestrationEndpoint(Services services, Propagation propagation) {
    this.services = services;
    this.propagation = propagation;
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "single")
  @ResponsePayload
  public SingleResponse single(@RequestPayload Single request) {
    var response = new SingleResponse();
    response.getToken().addAll(tokens(Services.SINGLE, request.getParameter()));
    return response;
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "pair")
  @ResponsePayload
  public PairResponse pair(@RequestPayload Pair request) {
    var response = new PairResponse();
    response.getToken().addAll(tokens(Services.MAIN, request.getFirst(), request.getSecond()));
    return response;
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "mesh")
  @ResponsePayload
  public MeshResponse mesh(@RequestPayload Mesh request) {
    var response = new MeshResponse();
    response.getToken().addAll(tokens(services.graph().entry(), request.getParameter()));
    return response;
  }

  private List<Token> tokens(Node node, String... parameters) {
    if (Arrays.stream(parameters).anyMatch(Objects::isNull)) {
      throw new IllegalArgumentException("the request lacks a parameter");
    }
    return propagation.tokens(node, 0, List.of(parameters));
  }
}

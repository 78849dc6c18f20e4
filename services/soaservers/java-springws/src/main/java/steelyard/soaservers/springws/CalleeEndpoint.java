package steelyard.soaservers.springws;

import java.net.URISyntaxException;
import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;
import org.springframework.ws.transport.context.TransportContextHolder;
import steelyard.soaservers.Node;
import steelyard.soaservers.Propagation;
import steelyard.soaservers.Services;
import steelyard.soaservers.contract.Propagate;
import steelyard.soaservers.contract.PropagateResponse;

/** The services that others call; the address of a request says which. */
@Endpoint
public class CalleeEndpoint {

  private final Services services;
  private final Propagation propagation;

  CalleeEndpoint(Services services, Propagation propagation) {
    this.services = services;
    this.propagation = propagation;
  }

  @PayloadRoot(namespace = "urn:steelyard:soaservers", localPart = "propagate")
  @ResponsePayload
  public PropagateResponse propagate(@RequestPayload Propagate request) throws URISyntaxException {
    String path = TransportContextHolder.getTransportContext().getConnection().getUri().getPath();
    Node node = services.byAddress().get(path.substring(path.lastIndexOf('/') + 1));
    if (node == null) {
      throw new IllegalArgumentException("the graph has no service at " + path);
    }
    var response = new PropagateResponse();
    response
        .getToken()
        .addAll(propagation.tokens(node, request.getDepth(), request.getParameter()));
    return response;
  }
}

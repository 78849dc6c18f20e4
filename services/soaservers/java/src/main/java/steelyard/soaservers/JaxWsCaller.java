package steelyard.soaservers;

import jakarta.xml.ws.BindingProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import steelyard.soaservers.contract.Callee;
import steelyard.soaservers.contract.CalleePortType;
import steelyard.soaservers.contract.Token;

/**
 * Calls services with the server's own JAX-WS client, generated from the WSDL. One proxy a callee
 * is made at its first call and then shared by all threads: README.md cites what the stacks say
 * about that.
 */
public final class JaxWsCaller implements Caller {

  /** A call's time-outs have no standard name: first Metro's names, then CXF's. */
  private static final List<String> TIMEOUTS =
      List.of(
          "com.sun.xml.ws.connect.timeout",
          "com.sun.xml.ws.request.timeout",
          "jakarta.xml.ws.client.connectionTimeout",
          "jakarta.xml.ws.client.receiveTimeout",
          "javax.xml.ws.client.connectionTimeout",
          "javax.xml.ws.client.receiveTimeout");

  private final Services services;
  private final CallSettings settings;
  private final Map<String, CalleePortType> proxies = new ConcurrentHashMap<>();

  JaxWsCaller(Services services, CallSettings settings) {
    this.services = services;
    this.settings = settings;
  }

  @Override
  public List<Token> propagate(String callee, int depth, List<String> parameters) {
    return proxies.computeIfAbsent(callee, this::proxy).propagate(depth, parameters);
  }

  private CalleePortType proxy(String callee) {
    var port = new Callee().getCalleePort();
    Map<String, Object> context = ((BindingProvider) port).getRequestContext();
    context.put(
        BindingProvider.ENDPOINT_ADDRESS_PROPERTY, settings.base() + services.address(callee));
    settings
        .timeoutMillis()
        .ifPresent(millis -> TIMEOUTS.forEach(name -> context.put(name, millis)));
    return port;
  }
}

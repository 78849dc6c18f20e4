package steelyard.soaservers;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Every service with its address: those of environment 2, and those of the graph. */
public record Services(Graph graph, Map<String, Node> byAddress, Map<String, String> addresses) {

  public static final Node SINGLE = new Node("single", List.of(), false);
  public static final Node MAIN = new Node("main", List.of("left", "right"), false);

  /** The services of this process, with the graph that it was started with. */
  public static Services shared() {
    return Shared.SERVICES;
  }

  static Services of(Graph graph) {
    var byAddress = new HashMap<String, Node>();
    byAddress.put("Left", new Node("left", List.of(), false));
    byAddress.put("Right", new Node("right", List.of(), false));
    graph
        .services()
        .values()
        .forEach(node -> byAddress.put("Callee" + graph.position(node.name()), node));
    var addresses = new HashMap<String, String>();
    byAddress.forEach((address, node) -> addresses.put(node.name(), address));
    return new Services(graph, Map.copyOf(byAddress), Map.copyOf(addresses));
  }

  /** The last part of a service's address; null where there is no such service. */
  public String address(String service) {
    return addresses.get(service);
  }

  /** Reads the graph once, at the first use. */
  private static final class Shared {
    private static final Services SERVICES = Services.of(Graph.chosen());
  }
}

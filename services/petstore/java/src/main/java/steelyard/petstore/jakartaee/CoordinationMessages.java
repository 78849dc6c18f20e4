package steelyard.petstore.jakartaee;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * What the server's own web services for WS-Coordination and WS-AtomicTransaction were sent, as its
 * management counts it within this process (`statistics-enabled` of its web services).
 */
final class CoordinationMessages {

  private static final String ENDPOINTS = "jboss.ws:context=ws-*,endpoint=*";

  private final MBeanServer management;
  private long messages;
  private long millis;

  CoordinationMessages() {
    this(ManagementFactory.getPlatformMBeanServer());
  }

  CoordinationMessages(MBeanServer management) {
    this.management = management;
  }

  /**
   * Since it was asked last: `coordination_messages`, and `coordination_ms`, for how many
   * milliseconds the server worked on them. Raises IllegalStateException where it does not tell.
   */
  synchronized Map<String, Long> news() {
    try {
      Set<ObjectName> endpoints = management.queryNames(new ObjectName(ENDPOINTS), null);
      long messagesBefore = messages;
      long millisBefore = millis;
      messages = sum(endpoints, "RequestCount");
      millis = sum(endpoints, "TotalProcessingTime");
      return Map.of(
          "coordination_messages", messages - messagesBefore,
          "coordination_ms", millis - millisBefore);
    } catch (JMException unknown) {
      throw new IllegalStateException(
          "coordination is not counted: " + unknown.getMessage(), unknown);
    }
  }

  private long sum(Set<ObjectName> endpoints, String attribute) throws JMException {
    long sum = 0;
    for (ObjectName endpoint : endpoints) {
      sum += ((Number) management.getAttribute(endpoint, attribute)).longValue();
    }
    return sum;
  }
}

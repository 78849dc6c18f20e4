package steelyard.petstore.jakartaee;

import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import steelyard.petstore.messaging.Destination;

/** The lengths of queues as the server's own management tells them, within this process. */
final class ManagedQueues implements ToLongFunction<Destination> {

  private static final String LENGTH = "messageCount";

  private final MBeanServer management = ManagementFactory.getPlatformMBeanServer();
  private final Map<Destination, ObjectName> names = new EnumMap<>(Destination.class);

  /** Raises IllegalStateException where the server's management does not know the destination. */
  @Override
  public long applyAsLong(Destination destination) {
    try {
      ObjectName name = names.get(destination);
      if (name == null) {
        name = nameOf(destination);
        names.put(destination, name);
      }
      return ((Number) management.getAttribute(name, LENGTH)).longValue();
    } catch (JMException unknown) {
      throw new IllegalStateException(
          destination + " has no length: " + unknown.getMessage(), unknown);
    }
  }

  private ObjectName nameOf(Destination destination) throws MalformedObjectNameException {
    String kind = destination.isTopic() ? "jms-topic" : "jms-queue";
    String pattern = "jboss.as:subsystem=messaging-activemq,%s=%s,*";
    return management
        .queryNames(new ObjectName(pattern.formatted(kind, destination.address())), null)
        .stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no management of " + destination));
  }
}

package steelyard.petstore.jakartaee;

import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import steelyard.petstore.messaging.Destination;

/** The lengths of queues as management tells them, within this process. */
final class ManagedQueues implements ToLongFunction<Destination> {

  /** By which names management knows the broker; that of WildFly is found by no pattern. */
  static final String ARTEMIS = "org.apache.activemq.artemis:broker=*";

  static final String WILDFLY = "jboss.as:subsystem=messaging-activemq,server=default";

  private final MBeanServer management = ManagementFactory.getPlatformMBeanServer();
  private final Map<Destination, ObjectName> names = new EnumMap<>(Destination.class);
  private final Function<Destination, String> pattern;
  private final String length;
  private final String maker; // what makes destinations when they are first asked for, if anything

  private ManagedQueues(Function<Destination, String> pattern, String length, String maker) {
    this.pattern = pattern;
    this.length = length;
    this.maker = maker;
  }

  /** As WildFly has them. */
  static ManagedQueues ofWildFly() {
    String queues = "jboss.as:subsystem=messaging-activemq,jms-%s=%s,*";
    return new ManagedQueues(
        of -> queues.formatted(of.isTopic() ? "topic" : "queue", of.address()), "messageCount", "");
  }

  /** As Artemis has them: its addresses, each with the queues of all who listen there. */
  static ManagedQueues ofArtemis() {
    String addresses = ARTEMIS + ",component=addresses,address=%s";
    return new ManagedQueues(
        of -> addresses.formatted(ObjectName.quote(of.address())), "MessageCount", ARTEMIS);
  }

  /**
   * 0 where nothing was sent or received yet and so nothing made; raises IllegalStateException
   * where management does not know the destination, or whoever makes it.
   */
  @Override
  public long applyAsLong(Destination destination) {
    try {
      ObjectName name = nameOf(destination);
      return name == null ? 0 : ((Number) management.getAttribute(name, length)).longValue();
    } catch (JMException unknown) {
      throw new IllegalStateException(
          destination + " has no length: " + unknown.getMessage(), unknown);
    }
  }

  /** Kept once it is there: WildFly takes long to look. */
  private ObjectName nameOf(Destination destination) throws JMException {
    if (!names.containsKey(destination)) {
      found(pattern.apply(destination)).ifPresent(name -> names.put(destination, name));
    }
    ObjectName name = names.get(destination);
    if (name == null && (maker.isEmpty() || found(maker).isEmpty())) {
      throw new IllegalStateException("no management of " + destination);
    }
    return name;
  }

  private Optional<ObjectName> found(String names) throws JMException {
    return management.queryNames(new ObjectName(names), null).stream().findFirst();
  }
}

package steelyard.petstore.jakartaee;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinationTest {

  /** What a server's management says of a web service; public, as the management needs it. */
  public interface EndpointMXBean {
    long getRequestCount();

    long getTotalProcessingTime();
  }

  /** One that was asked so often, and has worked for so many milliseconds. */
  public static final class Endpoint implements EndpointMXBean {

    private long requests;

    @Override
    public long getRequestCount() {
      return requests;
    }

    @Override
    public long getTotalProcessingTime() {
      return 3 * requests;
    }
  }

  private final MBeanServer management = MBeanServerFactory.newMBeanServer();

  private Endpoint endpoint(String context) throws JMException {
    Endpoint endpoint = new Endpoint();
    management.registerMBean(
        endpoint, new ObjectName("jboss.ws:context=" + context + ",endpoint=Service"));
    return endpoint;
  }

  @Test
  void messagesOfCoordinationAreThoseSinceTheLastLookAndNoneOfTheShopsOwn() throws JMException {
    Endpoint participant = endpoint("ws-t11-participant");
    Endpoint coordinator = endpoint("ws-t11-coordinator");
    Endpoint shop = endpoint("petstore");
    CoordinationMessages messages = new CoordinationMessages(management);
    participant.requests = 4;
    coordinator.requests = 3;
    shop.requests = 100;
    assertThat(messages.news())
        .isEqualTo(Map.of("coordination_messages", 7L, "coordination_ms", 21L));
    coordinator.requests++;
    assertThat(messages.news())
        .isEqualTo(Map.of("coordination_messages", 1L, "coordination_ms", 3L));
    assertThat(messages.news())
        .isEqualTo(Map.of("coordination_messages", 0L, "coordination_ms", 0L));
  }

  @Test
  void aServerThatHasNoCoordinationWasSentNoMessage() {
    assertThat(new CoordinationMessages(management).news())
        .isEqualTo(Map.of("coordination_messages", 0L, "coordination_ms", 0L));
  }

  @Test
  void whatIsInDoubtIsWhatTheTransactionManagerHasWrittenAndNotRemoved(@TempDir Path data)
      throws IOException {
    InDoubt inDoubt = new InDoubt(data);
    assertThat(inDoubt.count()).isZero();
    Path records =
        data.resolve(
            "tx-object-store/ShadowNoFileLockStore/defaultStore/StateManager/BasicAction"
                + "/TwoPhaseCoordinator/AtomicAction/SubordinateAtomicAction/JCA");
    Files.createDirectories(records);
    Files.createFile(records.resolve("0_ffff7f000001_1"));
    assertThat(inDoubt.count()).isEqualTo(1);
    Files.delete(records.resolve("0_ffff7f000001_1"));
    assertThat(inDoubt.count()).isZero();
  }
}

package steelyard.petstore.springws;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import steelyard.petstore.events.EventLog;

/** Events as a process leaves them that is killed. */
class EventLogTest {

  private static final String HEADING = "name,id,time_ns";

  @TempDir Path folder;

  @Test
  void anEventIsInTheFileBeforeItsProcessEnds() throws Exception {
    Path file = folder.resolve("events.csv");
    try (EventLog log = EventLog.to(file.toString())) {
      log.record(EventLog.ORDER_RECEIVED, "first", 1);
      assertThat(Files.readAllLines(file)).containsExactly(HEADING, "order_received,first,1");
    }
  }

  @Test
  void whatAProcessBeforeItWroteStaysButForALineThatItWasKilledIn() throws Exception {
    Path file = folder.resolve("events.csv");
    Files.writeString(file, HEADING + "\norder_received,first,1\norder_rec");
    try (EventLog log = EventLog.to(file.toString())) {
      log.record(EventLog.ORDER_RECEIVED, "second", 2);
    }
    assertThat(Files.readAllLines(file))
        .containsExactly(HEADING, "order_received,first,1", "order_received,second,2");
  }
}

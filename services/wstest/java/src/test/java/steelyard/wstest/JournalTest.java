package steelyard.wstest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whether a journal is kept, and what is said where it cannot be; a server shows the rows. */
class JournalTest {

  @Test
  void noneIsKeptUnlessItIsAskedFor() throws Exception {
    assertThat(Journal.of(Map.of())).isEmpty();
    assertThat(Journal.of(Map.of("STEELYARD_JOURNAL", "none", "STEELYARD_PORT_DATABASE", "1")))
        .isEmpty();
  }

  @Test
  void subjectWithoutDatabaseIsNamed() {
    assertThatThrownBy(() -> Journal.of(Map.of("STEELYARD_JOURNAL", "jdbc")))
        .hasMessageContaining("no process in the role of database");
  }

  @Test
  void databaseThatDoesNotListenIsAnError() throws IOException {
    int port;
    try (var socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    var environment =
        Map.of(
            "STEELYARD_JOURNAL", "jdbc",
            "STEELYARD_PORT_DATABASE", Integer.toString(port),
            "STEELYARD_PASSWORD", "unused");

    assertThatThrownBy(() -> Journal.of(environment))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("refused");
  }
}

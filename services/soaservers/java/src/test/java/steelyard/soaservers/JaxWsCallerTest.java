package steelyard.soaservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.xml.ws.Endpoint;
import jakarta.xml.ws.WebServiceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import steelyard.soaservers.contract.Token;

/** Calls go over HTTP to endpoints that Metro publishes inside this JVM. */
class JaxWsCallerTest {

  @Test
  void calleeAnswersWithItsToken() throws Exception {
    int port = freePort();
    Endpoint endpoint =
        Endpoint.publish(
            "http://127.0.0.1:" + port + "/soaservers/Right", new CalleeEndpoints.Right());
    try {
      for (String parameter : List.of("<&>", "", " façade 𝄞\r\n")) {
        List<Token> tokens =
            caller(port, "none").propagate("right", 1, List.of(parameter, "second"));

        assertThat(tokens).hasSize(1);
        assertThat(tokens.get(0).getService()).isEqualTo("right");
        assertThat(tokens.get(0).getDepth()).isEqualTo(1);
        assertThat(tokens.get(0).getParameter()).containsExactly(parameter, "second");
      }
    } finally {
      endpoint.stop();
    }
  }

  @Test
  void calleeThatDoesNotListenIsAnError() throws Exception {
    int port = freePort();

    assertThatThrownBy(() -> caller(port, "none").propagate("right", 1, List.of("x")))
        .isInstanceOf(WebServiceException.class)
        .hasStackTraceContaining("refused");
  }

  @Test
  void calleeThatIsSilentForLongerThanTheTimeOutIsAnError() throws Exception {
    try (var silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () -> caller(silent.getLocalPort(), "0.2").propagate("right", 1, List.of("x")))
          .isInstanceOf(WebServiceException.class)
          .hasStackTraceContaining("timed out");
    }
  }

  @Test
  void calleesAreInTheRoleOfCalleeWhereThereIsOne() {
    var alone = Map.of("STEELYARD_PORT_SERVER", "1");
    var pair = Map.of("STEELYARD_PORT_SERVER", "1", "STEELYARD_PORT_CALLEE", "2");

    assertThat(CallSettings.of(alone).base()).isEqualTo("http://127.0.0.1:1/soaservers/");
    assertThat(CallSettings.of(pair).base()).isEqualTo("http://127.0.0.1:2/soaservers/");
    assertThat(
            CallSettings.of(Map.of("STEELYARD_PATH_SERVER", "/soaservers/services/Orchestration"))
                .base())
        .isEqualTo("http://127.0.0.1:8080/soaservers/services/");
    var elsewhere = Map.of("STEELYARD_HOST", "127.0.0.9", "STEELYARD_PORT_SERVER", "1");
    assertThat(CallSettings.of(elsewhere).base()).isEqualTo("http://127.0.0.9:1/soaservers/");
    assertThat(CallSettings.of(alone).timeoutMillis()).isEmpty();
    assertThat(CallSettings.of(Map.of("STEELYARD_CALL_TIMEOUT", "2.5")).timeoutMillis())
        .contains(2500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "", "0.0001", "5s"})
  void timeOutThatIsNoNumberOfSecondsIsNamed(String seconds) {
    assertThatThrownBy(() -> CallSettings.of(Map.of("STEELYARD_CALL_TIMEOUT", seconds)))
        .hasMessageContaining("STEELYARD_CALL_TIMEOUT is '" + seconds + "'");
  }

  private static JaxWsCaller caller(int port, String timeout) {
    return new JaxWsCaller(
        Services.shared(),
        CallSettings.of(
            Map.of(
                "STEELYARD_PORT_SERVER",
                Integer.toString(port),
                "STEELYARD_CALL_TIMEOUT",
                timeout)));
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

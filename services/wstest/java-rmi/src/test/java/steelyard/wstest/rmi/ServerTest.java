package steelyard.wstest.rmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.rmi.registry.LocateRegistry;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The object answers by RMI, and its count by HTTP, on one port. */
class ServerTest {

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static int port;
  private static Server server;
  private static WSTest asked;

  @BeforeAll
  static void serve() throws Exception {
    System.setProperty("java.rmi.server.hostname", LOOPBACK.getHostAddress());
    try (var free = new ServerSocket(0, 1, LOOPBACK)) {
      port = free.getLocalPort();
    }
    server = new Server(LOOPBACK, port);
    asked = (WSTest) LocateRegistry.getRegistry(LOOPBACK.getHostAddress(), port).lookup("WSTest");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Test
  void valuesComeBackAsTheyWereSent() throws Exception {
    var struct = new Struct(-1, Float.NaN, " \r\n\u0000€");
    var list = new ListItem(struct, new ListItem(new Struct(0, -0f, ""), null));
    asked.echoVoid();
    assertThat(asked.echoStruct(new Struct[] {struct, struct})).containsExactly(struct, struct);
    assertThat(asked.echoStruct(new Struct[0])).isEmpty();
    assertThat(asked.echoList(list)).isEqualTo(list);
    assertThat(asked.echoList(null)).isNull();
    var synthetic = asked.echoSynthetic("text", struct, new byte[] {0, -1});
    assertThat(synthetic.struct()).isEqualTo(struct);
    assertThat(synthetic.bytes()).containsExactly(0, -1);
  }

  @Test
  void theTotalOfAnOrderIsTheSumOfItsLines() throws Exception {
    for (int id : new int[] {0, 7, 999_999_999}) {
      var order = asked.getOrder(id);
      assertThat(order.orderId()).isEqualTo(id);
      assertThat(
              Arrays.stream(order.items())
                  .map(item -> item.unitPrice().multiply(BigDecimal.valueOf(item.quantity())))
                  .reduce(BigDecimal.ZERO, BigDecimal::add))
          .isEqualByComparingTo(order.total());
    }
    assertThatThrownBy(() -> asked.getOrder(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whoAsksByHttpIsToldHowManyCallsThereWere() throws Exception {
    long before = Long.parseLong(body(said("GET /wstest/count HTTP/1.1\r\nHost: x\r\n\r\n")));
    asked.echoVoid();
    asked.getOrder(1);
    assertThat(body(said("GET /wstest/count HTTP/1.1\r\nHost: x\r\n\r\n")))
        .isEqualTo(Long.toString(before + 2));
    assertThat(said("GET /other HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ");
    assertThat(said("what is this\r\n\r\n")).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void whoSaysNothingHoldsUpNobody() throws Exception {
    try (var silent = new Socket(LOOPBACK, port)) {
      asked.echoVoid();
      assertThat(silent.isConnected()).isTrue();
    }
  }

  private static String body(String answer) {
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  private static String said(String request) throws IOException {
    try (var socket = new Socket(LOOPBACK, port)) {
      socket.setSoTimeout(5000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}

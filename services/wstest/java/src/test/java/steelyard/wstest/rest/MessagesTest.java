package steelyard.wstest.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbException;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.NotFoundException;
import org.junit.jupiter.api.Test;

/** The messages in JSON, by the reference implementation of JSON Binding; servers show the rest. */
class MessagesTest {

  private static final String STRUCT =
      "{\"varFloat\":1.1,\"varInt\":-7,\"varString\":\"salt & \u00e9 \ud834\udd1e\"}";

  private final Jsonb jsonb = new Binding().getContext(Object.class);
  private final Operations operations = new Operations();

  @Test
  void whatIsEchoedIsTheSameObject() {
    assertThat(echoed("{}", Messages.Nothing.class)).isEqualTo("{}");
    String structs = "{\"structs\":[" + STRUCT + "," + STRUCT + "]}";
    assertThat(echoed(structs, Messages.Structs.class)).isEqualTo(structs);
    assertThat(echoed("{\"structs\":[]}", Messages.Structs.class)).isEqualTo("{\"structs\":[]}");
    String chain = "{\"list\":{\"next\":{\"value\":" + STRUCT + "},\"value\":" + STRUCT + "}}";
    assertThat(echoed(chain, Messages.Chain.class)).isEqualTo(chain);
    assertThat(echoed("{}", Messages.Chain.class)).isEqualTo("{}");
    String synthetic = "{\"bytes\":\"AP8=\",\"struct\":" + STRUCT + ",\"text\":\"\"}";
    assertThat(echoed(synthetic, Messages.Synthetic.class)).isEqualTo(synthetic);
  }

  @Test
  void orderHasItsLinesAndItsDateAsText() {
    assertThat(jsonb.toJson(operations.getOrder(12345)))
        .contains(
            "\"reference\":\"PO-000012345\"",
            "\"items\":[{",
            "\"orderDate\":\"2004-10-26\"",
            "\"unitPrice\":25.4");
  }

  @Test
  void whatIsNoOrderIsNotFound() {
    assertThatThrownBy(() -> operations.getOrder(-1)).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> operations.getOrder(1_000_000_000))
        .isInstanceOf(NotFoundException.class);
  }

  @Test
  void whatIsNoMessageIsRefused() {
    assertThatThrownBy(
            () -> jsonb.fromJson("{\"structs\":[{\"varInt\":\"one\"}]}", Messages.Structs.class))
        .isInstanceOf(JsonbException.class);
    assertThatThrownBy(() -> operations.echoVoid(null)).isInstanceOf(BadRequestException.class);
    assertThat(new Refusals.OfBinding().toResponse(new JsonbException("no")).getStatus())
        .isEqualTo(400);
  }

  private String echoed(String message, Class<?> type) {
    return jsonb.toJson(jsonb.fromJson(message, type));
  }
}

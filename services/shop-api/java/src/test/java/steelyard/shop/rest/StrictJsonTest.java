package steelyard.shop.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import steelyard.shop.Message;
import steelyard.shop.OrderRequest;
import steelyard.shop.PlacedOrder;

/** JSON Binding here reads values of the right types, and no others. */
class StrictJsonTest {

  private final Jsonb jsonb = new StrictJson().getContext(Message.class);

  @Test
  void valuesOfTheRightTypesAreRead() {
    OrderRequest request =
        jsonb.fromJson(
            "{\"customer\": \"\\u0000Zoë\", \"lines\": [{\"item\": 9223372036854775807, \"quantity\": 1}]}",
            OrderRequest.class);
    assertThat(request)
        .isEqualTo(
            new OrderRequest("\0Zoë", List.of(new OrderRequest.Line(9223372036854775807L, 1L))));
    Message message =
        jsonb.fromJson(
            "{\"gift\": false, \"discountPercent\": 1e-4, \"lines\": [{\"tags\": [\"a\"]}]}",
            Message.class);
    assertThat(message.gift()).isFalse();
    assertThat(message.discountPercent()).isEqualTo(0.0001);
    assertThat(message.lines().get(0).tags()).containsExactly("a");
  }

  @Test
  void aMissingKeyIsNullForTheValidatorToRefuse() {
    assertThat(jsonb.fromJson("{}", OrderRequest.class)).isEqualTo(new OrderRequest(null, null));
    assertThat(jsonb.fromJson("null", Message.class)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[1]",
        "{\"reference\": 5}",
        "{\"reference\": true}",
        "{\"reference\": {}}",
        "{\"reference\": [\"r\"]}",
        "{\"customer\": \"c\"}",
        "{\"lines\": {}}",
        "{\"lines\": [{\"quantity\": 1.5}]}",
        "{\"lines\": [{\"quantity\": 1.0}]}",
        "{\"lines\": [{\"quantity\": \"5\"}]}",
        "{\"lines\": [{\"quantity\": 9223372036854775808}]}",
        "{\"lines\": [{\"quantity\": true}]}",
        "{\"lines\": [{\"tags\": [1]}]}",
        "{\"gift\": \"true\"}",
        "{\"gift\": 1}",
        "{\"discountPercent\": \"1\"}",
      })
  void aValueOfAnotherTypeIsRefused(String text) {
    assertThatThrownBy(() -> jsonb.fromJson(text, Message.class))
        .isInstanceOf(JsonbException.class);
  }

  @Test
  void anAnswerHasTheNamesOfTheContract() {
    assertThat(jsonb.toJson(new PlacedOrder("c", List.of())))
        .isEqualTo("{\"customer\":\"c\",\"lines\":[],\"totalCents\":0}");
  }
}

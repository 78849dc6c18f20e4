package steelyard.shop;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.validation.Validation;
import jakarta.validation.Validator;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {

  private static final Validator VALIDATOR =
      Validation.byDefaultProvider()
          .configure()
          .messageInterpolator(new ParameterMessageInterpolator())
          .buildValidatorFactory()
          .getValidator();

  private static final Message.Line LINE = new Message.Line("s", 1L, 0L, List.of());

  private static boolean isValid(Object request) {
    return VALIDATOR.validate(request).isEmpty();
  }

  private static Message message(
      String name, String email, String country, List<Message.Line> lines, Double discount) {
    var address = new Message.Address("s", "c", "p", country);
    return new Message("r", new Message.Customer(name, email, address), lines, true, discount, "");
  }

  private static Message named(String name) {
    return message(name, "a@b", "CH", List.of(LINE), 0.0);
  }

  @Test
  void aHundredCharactersAreValidWhateverTheirSizeInMemory() {
    assertThat(isValid(named("n".repeat(100)))).isTrue();
    assertThat(isValid(named("😀".repeat(100)))).isTrue();
    assertThat(isValid(named("😀".repeat(101)))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\u0000", "a\u0000b", "\ud83d", "a\n\u0000"})
  void whatIsNoTextOfTheDatabaseIsNotValid(String name) {
    assertThat(isValid(named(name))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "\n", " ", "é", "a\r\n"})
  void whiteSpaceAndLineBreaksAreCharacters(String name) {
    assertThat(isValid(named(name))).isTrue();
  }

  static Stream<Message> wrongMessages() {
    var address = new Message.Address("s", "c", "p", "CH");
    var customer = new Message.Customer("n", "a@b", address);
    return Stream.of(
        named(null),
        message("n", "nobody", "CH", List.of(LINE), 0.0),
        message("n", "a@b@c", "CH", List.of(LINE), 0.0),
        message("n", "a@" + "b".repeat(199), "CH", List.of(LINE), 0.0),
        message("n", "a@b", "ch", List.of(LINE), 0.0),
        message("n", "a@b", "CHE", List.of(LINE), 0.0),
        message("n", "a@b", "CH", List.of(), 0.0),
        message("n", "a@b", "CH", null, 0.0),
        message("n", "a@b", "CH", Collections.nCopies(51, LINE), 0.0),
        message("n", "a@b", "CH", Collections.singletonList(null), 0.0),
        message("n", "a@b", "CH", List.of(LINE), 100.125),
        message("n", "a@b", "CH", List.of(LINE), -0.001),
        message("n", "a@b", "CH", List.of(LINE), null),
        message("n", "a@b", "CH", List.of(new Message.Line("s", 0L, 0L, List.of())), 0.0),
        message("n", "a@b", "CH", List.of(new Message.Line("s", 1001L, 0L, List.of())), 0.0),
        message("n", "a@b", "CH", List.of(new Message.Line("s", null, 0L, List.of())), 0.0),
        message("n", "a@b", "CH", List.of(new Message.Line("s", 1L, 10_000_001L, List.of())), 0.0),
        message("n", "a@b", "CH", List.of(new Message.Line("s", 1L, null, List.of())), 0.0),
        message("n", "a@b", "CH", List.of(new Message.Line("s", 1L, 0L, null)), 0.0),
        message("n", "a@b", "CH", List.of(new Message.Line("s", 1L, 0L, List.of(""))), 0.0),
        message(
            "n",
            "a@b",
            "CH",
            List.of(new Message.Line("s", 1L, 0L, Collections.nCopies(9, "t"))),
            0.0),
        new Message(null, customer, List.of(LINE), true, 0.0, ""),
        new Message("r", null, List.of(LINE), true, 0.0, ""),
        new Message("r", customer, List.of(LINE), null, 0.0, ""),
        new Message("r", customer, List.of(LINE), true, 0.0, null),
        new Message("r", customer, List.of(LINE), true, 0.0, "n".repeat(501)));
  }

  @ParameterizedTest
  @MethodSource("wrongMessages")
  void whatIsMissingOrOutOfBoundsIsNotValid(Message message) {
    assertThat(isValid(message)).isFalse();
  }

  static Stream<OrderRequest> wrongOrders() {
    var line = new OrderRequest.Line(1L, 1L);
    return Stream.of(
        new OrderRequest(null, List.of(line)),
        new OrderRequest("", List.of(line)),
        new OrderRequest("c", null),
        new OrderRequest("c", List.of()),
        new OrderRequest("c", Collections.nCopies(11, line)),
        new OrderRequest("c", Collections.singletonList(null)),
        new OrderRequest("c", List.of(new OrderRequest.Line(null, 1L))),
        new OrderRequest("c", List.of(new OrderRequest.Line(0L, 1L))),
        new OrderRequest("c", List.of(new OrderRequest.Line(1L, null))),
        new OrderRequest("c", List.of(new OrderRequest.Line(1L, 0L))),
        new OrderRequest("c", List.of(new OrderRequest.Line(1L, 101L))));
  }

  @ParameterizedTest
  @MethodSource("wrongOrders")
  void anOrderThatIsOutOfBoundsIsNotValid(OrderRequest order) {
    assertThat(isValid(order)).isFalse();
  }
}

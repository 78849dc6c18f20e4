package steelyard.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OrderRequestTest {

  private static OrderRequest order(long... items) {
    return new OrderRequest(
        "c", LongStream.of(items).mapToObj(item -> new OrderRequest.Line(item, 1L)).toList());
  }

  @Test
  void linesAreInTheOrderOfTheirItems() {
    assertThat(order(3, 1, 2).linesByItem())
        .extracting(OrderRequest.Line::item)
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void theSameItemTwiceIsNotValid() {
    assertThatExceptionOfType(RefusalException.class)
        .isThrownBy(() -> order(1_000, 5, 1_000).linesByItem())
        .extracting(RefusalException::refusal)
        .isEqualTo(Refusal.NOT_VALID);
  }

  @Test
  void anOrderCostsWhatItsLinesCost() {
    var lines = List.of(new OrderLine(1, "a", 2, 300), new OrderLine(2, "b", 1, 5));

    assertThat(new PlacedOrder("c", lines).totalCents()).isEqualTo(605);
    assertThat(new Order(1, "c", lines).totalCents()).isEqualTo(605);
  }
}

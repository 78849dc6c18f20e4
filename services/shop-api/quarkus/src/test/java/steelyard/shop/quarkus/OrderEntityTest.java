package steelyard.shop.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import steelyard.shop.Item;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;

class OrderEntityTest {

  @Test
  void linesHaveThePricesOfTheirItems() {
    var bench = new ItemEntity(new Item(1, "bench", "b", 300, ""), 5);
    var chair = new ItemEntity(new Item(2, "chair", "c", 20, ""), 1);
    var wanted = List.of(new OrderRequest.Line(1L, 5L), new OrderRequest.Line(2L, 1L));

    assertThat(new OrderEntity("c", wanted, List.of(bench, chair)).toLines())
        .containsExactly(new OrderLine(1, "bench", 5, 300), new OrderLine(2, "chair", 1, 20));
  }

  @Test
  void anItemIsAnsweredWithoutItsStock() {
    var item = new Item(1, "bench", "b", 300, "a bench");

    assertThat(new ItemEntity(item, 5).toItem()).isEqualTo(item);
  }
}

package steelyard.shop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountsTest {

  @Test
  void countsDoNotCountThemselves() {
    assertThat(Counts.counts("/shop/items/1")).isTrue();
    assertThat(Counts.counts("/shop/count")).isFalse();
    assertThat(Counts.counts("/shop/accepted")).isFalse();
    assertThat(Counts.counts("/elsewhere")).isFalse();
  }

  @Test
  void requestsAndOrdersAreCountedApart() {
    var counts = new Counts();
    counts.addRequest();
    counts.addRequest();
    counts.addAccepted();

    assertThat(counts.requests()).isEqualTo(2);
    assertThat(counts.accepted()).isEqualTo(1);
  }
}

package steelyard.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BusyWorkTest {

  @Test
  void itTakesAsMuchProcessorTimeAsItIsTold() {
    var threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();

    assertThat(BusyWork.spin("20000.5")).isTrue();

    assertThat(threads.getCurrentThreadCpuTime() - before).isGreaterThanOrEqualTo(20_000_500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a while", "-1", "NaN", "1e300", "1000000.5", ""})
  void whatIsNoNumberUpToAMillionIsRefusedAtOnce(String micros) {
    assertThat(BusyWork.spin(micros)).isFalse();
  }
}

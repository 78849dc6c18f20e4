package steelyard.common;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
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

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void aVirtualThreadTakesAsMuchOfTheProcess() throws Exception {
    // By its name: these sources are compiled for Java 17.
    var virtualThreads =
        (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    var process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = process.getProcessCpuTime();

    assertThat(virtualThreads.submit(() -> BusyWork.spin("200000")).get()).isTrue();

    // The process's clock ticks every 10 ms.
    assertThat(process.getProcessCpuTime() - before).isGreaterThanOrEqualTo(180_000_000);
    virtualThreads.shutdown();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a while", "-1", "NaN", "1e300", "1000000.5", ""})
  void whatIsNoNumberUpToAMillionIsRefusedAtOnce(String micros) {
    assertThat(BusyWork.spin(micros)).isFalse();
  }
}

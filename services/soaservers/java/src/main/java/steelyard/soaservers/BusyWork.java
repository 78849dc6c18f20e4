package steelyard.soaservers;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Burns processor time: how tests and the calibration plant a known slow-down. */
final class BusyWork {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private BusyWork() {}

  /** Spins until this thread has used so many microseconds of processor time. */
  static void spin(double micros) {
    long end = THREADS.getCurrentThreadCpuTime() + Math.round(micros * 1_000);
    while (THREADS.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }
}

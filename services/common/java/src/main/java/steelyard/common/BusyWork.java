package steelyard.common;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Burns processor time: how tests and the calibration plant a known slow-down. */
public final class BusyWork {

  /** A second: a header costs its sender nothing, so it must not cost the server much more. */
  private static final double MOST_MICROS = 1_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private BusyWork() {}

  /**
   * Spins until this thread has used so many microseconds of processor time; false, at once, where
   * the text is no number up to a million.
   */
  public static boolean spin(String text) {
    double micros;
    try {
      micros = Double.parseDouble(text);
    } catch (NumberFormatException noNumber) {
      return false;
    }
    if (!(micros >= 0 && micros <= MOST_MICROS)) {
      return false;
    }
    long end = THREADS.getCurrentThreadCpuTime() + Math.round(micros * 1_000);
    while (THREADS.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
    return true;
  }
}

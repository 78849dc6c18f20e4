package steelyard.common;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Burns processor time: how tests and the calibration plant a known slow-down. */
public final class BusyWork {

  /** A second: a header costs its sender nothing, so it must not cost the server much more. */
  private static final double MOST_MICROS = 1_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Thread.isVirtual; null before Java 21. */
  private static final Method IS_VIRTUAL = isVirtualMethod();

  private BusyWork() {}

  /**
   * Spins until so many microseconds of processor time are used; false, at once, where the text is
   * no number up to a million.
   *
   * <p>A virtual thread has no clock of its own: a platform thread spins for it, and it waits.
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
    long nanos = Math.round(micros * 1_000);
    if (isVirtual(Thread.currentThread())) {
      CompletableFuture.runAsync(() -> burn(nanos), PlatformThreads.POOL).join();
    } else {
      burn(nanos);
    }
    return true;
  }

  private static void burn(long nanos) {
    long end = THREADS.getCurrentThreadCpuTime() + nanos;
    while (THREADS.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }

  private static boolean isVirtual(Thread thread) {
    try {
      return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invoke(thread);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Thread.isVirtual cannot be called", e);
    }
  }

  private static Method isVirtualMethod() {
    try {
      return Thread.class.getMethod("isVirtual");
    } catch (NoSuchMethodException before21) {
      return null;
    }
  }

  /** Made where the first virtual thread asks. */
  private static final class PlatformThreads {

    // As many as spin at once, kept for the next: starting one costs more time than many a header
    // asks for.
    static final ExecutorService POOL =
        Executors.newCachedThreadPool(
            task -> {
              var thread = new Thread(task, "busy-work");
              thread.setDaemon(true);
              return thread;
            });
  }
}

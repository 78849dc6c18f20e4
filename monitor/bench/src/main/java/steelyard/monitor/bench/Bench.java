package steelyard.monitor.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What a watched call costs, in the manner of MooBench (J. Waller and W. Hasselbring): a call that
 * calls itself to a depth of ten, over and over; the first half of the rounds warms up, of the
 * other half the median counts.
 *
 * <p>{@code Bench WAY FOLDER ROUNDS CALLS} prints the ns of processor time a call on the calling
 * thread, which no other program on the machine adds to; what a writer's own thread does is not in
 * it.
 */
public final class Bench {

  private static final int DEPTH = 10;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Bench() {}

  public static void main(String[] arguments) {
    Call call = Call.of(arguments[0], Path.of(arguments[1]));
    double[] rounds = new double[Integer.parseInt(arguments[2])];
    int trees = Integer.parseInt(arguments[3]) / DEPTH;
    long calls = 0;
    for (int round = 0; round < rounds.length; round++) {
      long begun = THREADS.getCurrentThreadCpuTime();
      for (int tree = 0; tree < trees; tree++) {
        calls += call.call(DEPTH - 1);
      }
      rounds[round] = (double) (THREADS.getCurrentThreadCpuTime() - begun) / trees / DEPTH;
    }
    call.end();
    if (calls != (long) rounds.length * trees * DEPTH) {
      throw new IllegalStateException(calls + " calls were made");
    }
    double[] counted = Arrays.copyOfRange(rounds, rounds.length / 2, rounds.length);
    Arrays.sort(counted);
    System.out.println(counted[counted.length / 2]);
  }
}

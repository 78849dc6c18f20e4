package steelyard.rmi;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/** The histograms of response times: in microseconds, 1 µs to 1 h, 3 digits. */
final class Histograms {

  static final long MOST_NS = 3_600_000_000_000L;
  private static final long MOST_US = 3_600_000_000L;

  private Histograms() {}

  static Histogram ofMicroseconds() {
    return new Histogram(1, MOST_US, 3);
  }

  static Histogram ofNanoseconds() {
    return new Histogram(1, MOST_NS, 2);
  }

  /** Records a length of time in ns, to the nearest microsecond. */
  static void record(Histogram histogram, long ns) {
    histogram.recordValue(Math.min(MOST_US, Math.max(1, (ns + 500) / 1000)));
  }

  /** A histogram as the log has it: V2, deflated, in base64. */
  static String encoded(Histogram histogram) {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes, Deflater.BEST_SPEED);
    return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes.array(), length));
  }
}

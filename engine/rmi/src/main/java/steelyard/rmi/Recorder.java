package steelyard.rmi;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What some users of a slice did. It decides what lies in the measured time, and counts it. Several
 * users share one, and who tells of the seconds reads it meanwhile, so each call is one at a time.
 */
final class Recorder {

  private static final long MILLISECOND = 1_000_000;

  private final Window window;
  private final long timeoutNs;
  private final long oneIn;
  private long rightLeft;
  private long failedLeft;
  final List<KindRecord> kinds = new ArrayList<>();
  final List<Exchange> samples = new ArrayList<>();
  final Histogram lateness = Histograms.ofNanoseconds();
  private final Histogram tickLateness = Histograms.ofNanoseconds();
  long unfinished;
  long oldestUnfinishedNs;
  long unfinishedNs;
  long carriedNs;

  /** Counts and histograms of one kind of request. */
  static final class KindRecord {
    final Counts counts = new Counts();
    final Histogram response = Histograms.ofMicroseconds();
    final Histogram service = Histograms.ofMicroseconds();
    final Histogram failure = Histograms.ofMicroseconds();
    final Histogram queueing = Histograms.ofMicroseconds();
    final Histogram connect = Histograms.ofMicroseconds();
    final Histogram firstByte = Histograms.ofMicroseconds();
    private long rights;

    void add(KindRecord other) {
      counts.add(other.counts, 1);
      response.add(other.response);
      service.add(other.service);
      failure.add(other.failure);
      queueing.add(other.queueing);
      connect.add(other.connect);
      firstByte.add(other.firstByte);
    }
  }

  /**
   * @param allowance how many samples of right answers and of others may be kept
   */
  Recorder(Window window, int kinds, long timeoutNs, Job.Samples allowance) {
    this.window = window;
    this.timeoutNs = timeoutNs;
    oneIn = Math.max(1, allowance.oneIn());
    rightLeft = allowance.mostRight();
    failedLeft = allowance.mostFailed();
    for (int i = 0; i < kinds; i++) {
      this.kinds.add(new KindRecord());
    }
  }

  /** A request was taken up at {@code now} that was due before. */
  synchronized void start(int kind, long due, long now) {
    Counts counts = kinds.get(kind).counts;
    counts.sent++;
    if (window.measures(due)) {
      counts.started++;
      counts.lateStarts += now - due > MILLISECOND ? 1 : 0;
      tickLateness.recordValue(Math.min(now - due, Histograms.MOST_NS));
    }
  }

  /** A request ended; the line's bytes since the last one are its own. */
  synchronized void finish(int kind, Exchange exchange, Line line) {
    KindRecord record = kinds.get(kind);
    Counts counts = record.counts;
    long out = line.takeOut();
    long in = line.takeIn();
    leftOver(exchange);
    keep(record, exchange);
    if (!window.measures(exchange.last())) {
      outside(counts, exchange);
      return;
    }
    counts.bytesOut += out;
    counts.bytesIn += in;
    if (line.connectNs() > 0) {
      Histograms.record(record.connect, line.connectNs());
    }
    if (exchange.failure() != null) {
      counts.failures[exchange.failure().ordinal()]++;
      boolean late = exchange.failure() == Failure.TIMEOUT;
      Histograms.record(
          record.failure,
          late ? exchange.sent() - exchange.due() + timeoutNs : exchange.last() - exchange.due());
    } else if (exchange.right()) {
      right(record, exchange);
    } else {
      counts.wrong++;
    }
  }

  private void right(KindRecord record, Exchange exchange) {
    long response = exchange.last() - exchange.due();
    long service = exchange.last() - exchange.sent();
    record.counts.completed++;
    record.counts.responseNs += response;
    record.counts.serviceNs += service;
    Histograms.record(record.response, response);
    Histograms.record(record.service, service);
    Histograms.record(record.queueing, exchange.sent() - exchange.due());
    Histograms.record(record.firstByte, Math.max(0, exchange.firstByte() - exchange.sent()));
    carriedNs += Math.max(0, window.begin() - exchange.due());
  }

  private static void outside(Counts counts, Exchange exchange) {
    if (exchange.failure() != null) {
      counts.outsideFailures[exchange.failure().ordinal()]++;
    } else if (exchange.right()) {
      counts.outsideCompleted++;
    } else {
      counts.outsideWrong++;
    }
  }

  /** A request was given up at the drain's limit. */
  synchronized void drop(int kind, Exchange exchange, Line line) {
    line.takeOut();
    line.takeIn();
    leftOver(exchange);
    kinds.get(kind).counts.dropped++;
  }

  /** Counts what was on its way at the end of the measured time. */
  private void leftOver(Exchange exchange) {
    if (exchange.sent() < window.end() && exchange.last() >= window.end()) {
      unfinished++;
      oldestUnfinishedNs = Math.max(oldestUnfinishedNs, window.end() - exchange.due());
      unfinishedNs += window.end() - Math.max(exchange.due(), window.begin());
    }
  }

  private void keep(KindRecord record, Exchange exchange) {
    boolean right = exchange.failure() == null && exchange.right();
    if (right) {
      if (rightLeft > 0 && record.rights++ % oneIn == 0) {
        rightLeft--;
        samples.add(exchange);
      }
    } else if (failedLeft > 0) {
      failedLeft--;
      samples.add(exchange);
    }
  }

  /** Adds all counts until now to a sum, by kind, and the lateness since it was asked last. */
  synchronized void addTo(List<Counts> sums, Histogram late) {
    for (int i = 0; i < sums.size(); i++) {
      sums.get(i).add(kinds.get(i).counts, 1);
    }
    late.add(tickLateness);
    lateness.add(tickLateness);
    tickLateness.reset();
  }
}

package steelyard.rmi;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What came of a slice, of all its users together. */
final class SliceResult {

  private static final double MIX_TOLERANCE = 0.01;

  final Job.Slice slice;
  final Window window;
  final long began;
  final int connects;
  final int closes;
  final Usage used;
  final boolean interrupted;
  final List<Recorder.KindRecord> kinds = new ArrayList<>();
  final Counts counts = new Counts();
  final List<Exchange> samples = new ArrayList<>();
  final Histogram lateness = Histograms.ofNanoseconds();
  final List<String> whyNot = new ArrayList<>();
  long unfinished;
  long oldestUnfinishedNs;
  long unfinishedNs;
  long carriedNs;

  SliceResult(
      Job.Slice slice,
      int hand,
      Window window,
      List<Recorder> recorders,
      long began,
      int connects,
      int closes,
      Usage used,
      boolean interrupted) {
    this.slice = slice;
    this.window = window;
    this.began = began;
    this.connects = connects;
    this.closes = closes;
    this.used = used;
    this.interrupted = interrupted;
    slice.mix().keySet().forEach(kind -> kinds.add(new Recorder.KindRecord()));
    for (Recorder recorder : recorders) {
      synchronized (recorder) {
        add(recorder);
      }
    }
    kinds.forEach(kind -> counts.add(kind.counts, 1));
    object(hand);
  }

  private void add(Recorder recorder) {
    for (int i = 0; i < kinds.size(); i++) {
      kinds.get(i).add(recorder.kinds.get(i));
    }
    samples.addAll(recorder.samples);
    lateness.add(recorder.lateness);
    unfinished += recorder.unfinished;
    oldestUnfinishedNs = Math.max(oldestUnfinishedNs, recorder.oldestUnfinishedNs);
    unfinishedNs += recorder.unfinishedNs;
    carriedNs += recorder.carriedNs;
  }

  /** What makes the slice invalid. */
  private void object(int hand) {
    if (interrupted) {
      whyNot.add("the slice was broken off");
    }
    if (counts.wrong > 0) {
      whyNot.add(counts.wrong + " wrong answers");
    }
    if (counts.outsideWrong > 0) {
      whyNot.add(counts.outsideWrong + " wrong answers outside the measured time");
    }
    if (left() != 0) {
      whyNot.add(
          "the instrument fell short: " + left() + " requests neither ended nor were given up");
    }
    double slack = MIX_TOLERANCE + (double) hand / Math.max(1, counts.started);
    for (int i = 0; i < kinds.size(); i++) {
      if (Math.abs(achieved(i) - wanted(i)) > slack) {
        whyNot.add(
            String.format(
                java.util.Locale.ROOT,
                "the share of %s was %.3f where %.3f was asked",
                List.copyOf(slice.mix().keySet()).get(i),
                achieved(i),
                wanted(i)));
      }
    }
  }

  /** Requests that were sent and of which nothing is known. */
  private long left() {
    Counts all = counts;
    long outside =
        all.outsideCompleted
            + all.outsideWrong
            + java.util.Arrays.stream(all.outsideFailures).sum();
    return all.sent - all.completed - all.wrong - all.failed() - outside - all.dropped;
  }

  double wanted(int kind) {
    double total = slice.mix().values().stream().mapToDouble(Double::doubleValue).sum();
    return List.copyOf(slice.mix().values()).get(kind) / total;
  }

  double achieved(int kind) {
    return counts.started == 0
        ? wanted(kind)
        : (double) kinds.get(kind).counts.started / counts.started;
  }

  double seconds() {
    return (window.end() - window.begin()) / 1e9;
  }

  /** Throughput x mean response / users, corrected at the edges; null where it cannot be told. */
  Double littlesLaw() {
    if (counts.completed == 0 || counts.failed() + counts.wrong > 0) {
      return null;
    }
    double response = (counts.responseNs + unfinishedNs - carriedNs) / 1e9 / counts.completed;
    return seconds() < 50 * response
        ? null
        : counts.completed / seconds() * response / slice.profile().users();
  }
}

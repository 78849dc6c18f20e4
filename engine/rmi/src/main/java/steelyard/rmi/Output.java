package steelyard.rmi;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The files of a run, column for column as contracts/engine-output.md has them, each appended and
 * flushed when a slice has ended.
 */
final class Output {

  static final String VERSION = "1";
  private static final String SLICE_COLUMNS =
      "slice,subject,phase,operation,begin_ns,end_ns,measured_ns,started,completed,expected_faults,wrong,"
          + "refused,reset,timeout,tls,malformed,status,fault,truncated,stale_failed,capture,"
          + "stale,unfinished,oldest_unfinished_ns,unfinished_ns_sum,unanswered_ns_sum,last_answer_ns,carried_ns_sum,connects,closes,sent,dropped,lead_in_completed,outside_wrong,"
          + "outside_refused,outside_reset,outside_timeout,outside_tls,outside_malformed,outside_status,outside_fault,"
          + "outside_truncated,outside_stale_failed,outside_capture,outside_stale,bytes_out,bytes_in,"
          + "response_ns_sum,service_ns_sum,"
          + "sessions,sessions_failed,session_ns_sum,thinks,think_ns_sum,engine_user_ns,engine_system_ns,"
          + "thread_cpu_most_ns,thread_sent_most,"
          + "cpu_own_ns,cpu_other_ns,cpu_between_ns,cpu_window_ns,lateness_p99_ns,valid,why_not";
  private static final String TICK_COLUMNS =
      "time_ns,slice,subject,operation,started,completed,wrong,"
          + "refused,reset,timeout,tls,malformed,status,fault,truncated,stale_failed,capture,"
          + "bytes_out,bytes_in,users_active,late_starts,response_ns_sum,engine_cpu_share,lateness_p99_ns";
  private static final String SAMPLE_COLUMNS =
      "sample,slice,subject,operation,entry,outcome,due_ns,sent_ns,first_byte_ns,last_byte_ns,status,cause";

  private final Job job;
  private final Path folder;
  private final PrintStream out;
  private final Writer slices;
  private final Writer ticks;
  private final Writer histograms;
  private final Writer samples;
  private final long base = System.nanoTime();
  private final List<SliceResult> ended = new ArrayList<>();
  private long written;
  private long rightKept;
  private long failedKept;

  /** A second of one kind of request, ending at an instant. */
  record Second(long end, Counts counts, int active, double cpuShare, long latenessNs) {}

  /**
   * Where a slice stands after so many seconds of it, the last of which was so long; counts are of
   * all until now.
   */
  record Progress(long second, double seconds, List<Counts> until, int active) {}

  /** Makes the folder and all its files; what stood in them before is gone. */
  Output(Path folder, Job job, PrintStream out) throws IOException {
    this.folder = folder;
    this.job = job;
    this.out = out;
    Files.createDirectories(folder.resolve("samples"));
    slices = table("slices.csv", SLICE_COLUMNS);
    ticks = table("ticks.csv", TICK_COLUMNS);
    samples = table("samples/index.csv", SAMPLE_COLUMNS);
    double wall = System.currentTimeMillis() / 1e3;
    histograms =
        table(
            "intervals.hlog",
            "#[Logged by steelyard-rmi "
                + VERSION
                + "]\n#[Histogram log format version 1.3]\n"
                + format(
                    "#[StartTime: %.3f (seconds since epoch)]\n#[BaseTime: %.3f (seconds since epoch)]\n",
                    wall, wall)
                + "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"");
    summary();
  }

  private Writer table(String name, String head) throws IOException {
    BufferedWriter table = Files.newBufferedWriter(folder.resolve(name));
    table.write(head + "\n");
    table.flush();
    return table;
  }

  /** How many samples the next slice's recorder number {@code place} of {@code of} may keep. */
  Job.Samples allowance(int place, int of) {
    long left = Math.max(1, job.slices().size() - ended.size());
    return new Job.Samples(
        job.samples().oneIn(),
        share(job.samples().mostRight() - rightKept, left, place, of),
        share(job.samples().mostFailed() - failedKept, left, place, of));
  }

  private static long share(long unused, long slices, int place, int of) {
    long own = Math.max(0, Math.ceilDiv(unused, slices));
    return own / of + (place < own % of ? 1 : 0);
  }

  /** Says one thing on standard output. */
  void say(Map<String, ?> value) {
    out.println(Json.line(value));
    out.flush();
  }

  void tick(Job.Slice slice, String kind, Second second) throws IOException {
    Counts counts = second.counts();
    ticks.write(
        String.join(
            ",",
            String.valueOf(second.end()),
            String.valueOf(slice.number()),
            slice.subject(),
            kind,
            counts.started + "," + counts.completed + "," + counts.wrong,
            Counts.cells(counts.failures),
            counts.bytesOut + "," + counts.bytesIn,
            second.active() + "," + counts.lateStarts + "," + counts.responseNs,
            format("%.4f", second.cpuShare()),
            second.latenessNs() + "\n"));
    ticks.flush();
  }

  /** Says where a slice stands. */
  void told(Job.Slice slice, Progress progress) {
    Counts all = new Counts();
    progress.until().forEach(kind -> all.add(kind, 1));
    var tick = new LinkedHashMap<String, Object>();
    tick.put("slice", slice.number());
    tick.put("subject", slice.subject());
    tick.put("phase", slice.phase());
    tick.put("elapsed_s", progress.second() - 1 + progress.seconds());
    tick.put("seconds", progress.seconds());
    tick.put("completed", all.completed);
    tick.put("failed", all.failed());
    tick.put("wrong", all.wrong);
    tick.put("response_ms", all.completed == 0 ? 0 : all.responseNs / 1e6 / all.completed);
    tick.put("users", progress.active());
    say(Map.of("tick", tick));
  }

  /** Appends a slice to all files. */
  void slice(SliceResult result) throws IOException {
    int place = 0;
    for (String kind : result.slice.mix().keySet()) {
      histograms(result, kind, result.kinds.get(place++));
    }
    histograms.flush();
    for (Exchange sample : result.samples) {
      sample(result.slice, sample);
    }
    samples.flush();
    slices.write(row(result) + "\n");
    slices.flush();
    ended.add(result);
    summary();
  }

  private void histograms(SliceResult result, String kind, Recorder.KindRecord record)
      throws IOException {
    Histogram all = record.response.copy();
    all.add(record.failure);
    var byName = new LinkedHashMap<String, Histogram>();
    byName.put("response", record.response);
    byName.put("service", record.service);
    byName.put("failure", record.failure);
    byName.put("all", all);
    byName.put("queueing", record.queueing);
    byName.put("connect", record.connect);
    byName.put("first_byte", record.firstByte);
    for (var named : byName.entrySet()) {
      String tag =
          result.slice.subject() + "/" + result.slice.number() + "/" + kind + "/" + named.getKey();
      double begin = (result.window.begin() - base) / 1e9;
      double most = named.getValue().getMaxValue() / 1e3;
      String times = format("%.3f,%.3f,%.3f", begin, result.seconds(), most);
      histograms.write(
          "Tag=" + tag + "," + times + "," + Histograms.encoded(named.getValue()) + "\n");
    }
  }

  private void sample(Job.Slice slice, Exchange sample) throws IOException {
    Files.write(
        folder.resolve("samples").resolve(written + ".answer"), Contract.written(sample.answer()));
    String instants =
        sample.due() + "," + sample.sent() + "," + sample.firstByte() + "," + sample.last();
    String what =
        slice.subject()
            + ","
            + sample.entry().name()
            + ","
            + sample.entry().number()
            + ","
            + sample.outcome();
    samples.write(written + "," + slice.number() + "," + what + "," + instants + ",0,\n");
    written++;
    rightKept += sample.outcome().equals("right") ? 1 : 0;
    failedKept += sample.outcome().equals("right") ? 0 : 1;
  }

  private static String row(SliceResult result) {
    Counts counts = result.counts;
    Window window = result.window;
    Job.Slice slice = result.slice;
    return String.join(
        ",",
        slice.number() + "," + slice.subject() + "," + slice.phase() + "," + slice.operation(),
        window.begin() + "," + window.end() + "," + (window.end() - window.begin()),
        counts.started + "," + counts.completed + ",0," + counts.wrong, // no fault is expected
        Counts.cells(counts.failures),
        "0", // stale: RMI looks whether a connection lives before it sends a call over it
        result.unfinished
            + ","
            + result.oldestUnfinishedNs
            + ","
            + result.unfinishedNs
            + ",,," // what the unanswered waited, and when the last answer came
            + result.carriedNs,
        result.connects + "," + result.closes + "," + counts.sent + "," + counts.dropped,
        counts.outsideCompleted + "," + counts.outsideWrong,
        Counts.cells(counts.outsideFailures),
        "0",
        counts.bytesOut + "," + counts.bytesIn + "," + counts.responseNs + "," + counts.serviceNs,
        "0,0,0,0,0", // sessions and pauses
        result.used.userNs() + "," + result.used.systemNs(),
        "0,0", // the busiest thread: every user has its own
        ",,,", // what a subject used in turns, and in a stretch
        String.valueOf(result.lateness.getValueAtPercentile(99)),
        (result.whyNot.isEmpty() ? "1," : "0,") + quoted(String.join("; ", result.whyNot)));
  }

  private static String quoted(String text) {
    boolean plain =
        text.chars().noneMatch(letter -> letter == ',' || letter == '"' || letter == '\n');
    return plain ? text : "\"" + text.replace("\"", "\"\"") + "\"";
  }

  /** Writes the summary anew, whole, so that a run which ends early leaves one. */
  private void summary() throws IOException {
    Usage usage = Usage.now();
    var engine = new LinkedHashMap<String, Object>();
    engine.put("version", "steelyard-rmi " + VERSION + " on " + Runtime.version());
    engine.put("threads", job.threads());
    engine.put("cpus", job.cpus());
    engine.put("user_cpu_s", usage.userNs() / 1e9);
    engine.put("system_cpu_s", usage.systemNs() / 1e9);
    engine.put("max_rss_bytes", usage.mostBytes());
    engine.put(
        "complete",
        ended.size() == job.slices().size()
            && ended.stream().noneMatch(result -> result.interrupted));
    var summary = new LinkedHashMap<String, Object>();
    summary.put("engine", engine);
    summary.put("slices", ended.stream().map(Output::audit).toList());
    Path part = folder.resolve("summary.json.part");
    Files.writeString(part, Json.line(summary));
    Files.move(
        part,
        folder.resolve("summary.json"),
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.ATOMIC_MOVE);
  }

  private static Map<String, Object> audit(SliceResult result) {
    var mix = new ArrayList<Map<String, Object>>();
    int place = 0;
    for (String name : result.slice.mix().keySet()) {
      var part = new LinkedHashMap<String, Object>();
      part.put("name", name);
      part.put("asked_share", result.wanted(place));
      part.put("achieved_share", result.achieved(place));
      part.put("started", result.kinds.get(place++).counts.started);
      mix.add(part);
    }
    var audit = new LinkedHashMap<String, Object>();
    audit.put("slice", result.slice.number());
    audit.put("subject", result.slice.subject());
    audit.put("phase", result.slice.phase());
    audit.put("operation", result.slice.operation());
    audit.put("measured_s", result.seconds());
    audit.put("began_ns", result.began);
    audit.put("mix", mix);
    audit.put("rate", null);
    audit.put("think", null);
    audit.put("littles_law", result.littlesLaw());
    audit.put("connects", result.connects);
    audit.put("closes", result.closes);
    audit.put("unasked", 0);
    audit.put("valid", result.whyNot.isEmpty());
    audit.put("why_not", result.whyNot);
    return audit;
  }

  private static String format(String form, Object... values) {
    return String.format(Locale.ROOT, form, values);
  }
}

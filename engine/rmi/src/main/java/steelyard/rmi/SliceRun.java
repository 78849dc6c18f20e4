package steelyard.rmi;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One slice: its users run, their seconds are told, and it ends with the last answer or the drain's
 * limit.
 */
final class SliceRun {

  private static final long SECOND = 1_000_000_000;
  private static final long LOOK_NS = 20_000_000; // how often what is overdue is looked for
  private static final long START_NS = 2_000_000; // until all threads are there
  private static final long GONE_NS =
      10 * SECOND; // whose connection is closed has this long to notice
  private static final int SHARDS = 8;

  private final Job job;
  private final Job.Slice slice;
  private final Target target;
  private final Output output;
  private final BlockingQueue<Control.Asked> asked;
  private final List<List<Entry>> entries = new ArrayList<>();
  private final List<Caller> callers;
  private final Deck deck;
  private final Window window = new Window();
  private final User.Start start;
  private final List<Recorder> recorders = new ArrayList<>();
  private final List<User> users = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Counts> told = new ArrayList<>();
  private final int connectsBefore;
  private final int closesBefore;
  private boolean interrupted;

  /** Makes all ready: every user is connected, where the server lets it. */
  SliceRun(
      Job job, Job.Slice slice, Target target, Output output, BlockingQueue<Control.Asked> asked)
      throws Refusal {
    this.job = job;
    this.slice = slice;
    this.target = target;
    this.output = output;
    this.asked = asked;
    for (String kind : slice.mix().keySet()) {
      entries.add(target.entries(kind));
      told.add(new Counts());
    }
    deck = new Deck(slice.mix(), entries, slice.deckSeed());
    connectsBefore = target.connects();
    callers = target.callers(slice.profile().users());
    closesBefore = target.closes();
    start = new User.Start(new CountDownLatch(callers.size()), new CompletableFuture<>());
    startUsers();
    connect();
  }

  /**
   * Runs it.
   *
   * @param at when the lead-in begins; 0: at once
   */
  SliceResult run(long at) throws IOException {
    long began = Math.max(at, System.nanoTime() + START_NS);
    long begin = began + slice.leadInNs();
    window.open(begin, slice.measuredNs());
    start.begin().complete(began);
    follow(begin);
    Usage atBegin = Usage.now();
    Usage before = atBegin;
    for (long second = 1; ; second++) {
      long until = Math.min(begin + second * SECOND, window.end());
      follow(until);
      Usage now = Usage.now();
      tick(
          second,
          Math.min(until, window.end()),
          now.since(before),
          until - (begin + (second - 1) * SECOND));
      before = now;
      if (System.nanoTime() >= window.end()) {
        break;
      }
    }
    drain();
    return new SliceResult(
        slice,
        deck.hand(),
        window,
        recorders,
        began,
        target.connects() - connectsBefore,
        target.closes() - closesBefore,
        before.since(atBegin),
        interrupted);
  }

  private void startUsers() {
    int shards = Math.min(SHARDS, callers.size());
    for (int i = 0; i < shards; i++) {
      recorders.add(new Recorder(window, entries.size(), timeoutNs(), output.allowance(i, shards)));
    }
    var pace =
        new User.Pace(timeoutNs(), job.onFailure().kind(), Math.round(job.onFailure().ms() * 1e6));
    for (int i = 0; i < callers.size(); i++) {
      users.add(new User(callers.get(i), recorders.get(i % shards), deck, window, pace, start));
      threads.add(Thread.ofPlatform().daemon().name("user-" + i).unstarted(users.get(i)));
    }
    threads.forEach(
        thread ->
            thread.setContextClassLoader(
                target.contract().loader())); // where RMI looks for classes
    threads.forEach(Thread::start);
  }

  private long timeoutNs() {
    return Math.round(job.timeoutMs() * 1e6);
  }

  /**
   * Waits until every user has tried to connect, which a server cannot hold up for longer than an
   * answer.
   */
  private void connect() {
    try {
      while (!start.connected().await(LOOK_NS, TimeUnit.NANOSECONDS)) {
        giveUp(false);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for an instant, looks after what is overdue, and hears what is asked meanwhile. */
  private void follow(long until) {
    for (long left = until - System.nanoTime();
        left > 0;
        left = Math.min(until, window.end()) - System.nanoTime()) {
      Control.Asked heard = heard(Math.min(left, LOOK_NS));
      if (heard instanceof Control.Enough enough && enough.slice() == slice.number()) {
        window.endAt(enough.end(window.begin(), System.nanoTime()));
      } else if (heard instanceof Control.InputEnded) {
        interrupted = true;
        window.endAt(System.nanoTime());
        asked.add(heard); // for who asks next
        return;
      }
      giveUp(false);
    }
  }

  private Control.Asked heard(long ns) {
    try {
      return asked.poll(ns, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Control.InputEnded();
    }
  }

  private void giveUp(boolean drained) {
    long now = System.nanoTime();
    callers.forEach(caller -> caller.line().giveUp(now, drained));
  }

  private void tick(long second, long end, Usage used, long lengthNs) throws IOException {
    List<Counts> now = new ArrayList<>();
    told.forEach(kind -> now.add(new Counts()));
    Histogram late = Histograms.ofNanoseconds();
    recorders.forEach(recorder -> recorder.addTo(now, late));
    int active = (int) users.stream().filter(User::isActive).count();
    double share = (double) used.cpuNs() / Math.max(1, lengthNs) / Math.max(1, job.cpus().size());
    var names = List.copyOf(slice.mix().keySet());
    for (int kind = 0; kind < now.size(); kind++) {
      Counts since = new Counts();
      since.add(now.get(kind), 1);
      since.add(told.get(kind), -1);
      told.set(kind, now.get(kind));
      output.tick(
          slice,
          names.get(kind),
          new Output.Second(end, since, active, share, late.getValueAtPercentile(99)));
    }
    output.told(slice, new Output.Progress(second, lengthNs / 1e9, told, active));
  }

  /** Waits for the last answers, at most until the drain's limit. */
  private void drain() {
    long limit = System.nanoTime() + Math.round(job.drainLimitMs() * 1e6);
    while (System.nanoTime() < limit && anyAlive()) {
      joinOne(LOOK_NS);
      giveUp(false);
    }
    long gone = System.nanoTime() + GONE_NS;
    while (anyAlive() && System.nanoTime() < gone) {
      giveUp(true);
      joinOne(LOOK_NS);
    }
  }

  private boolean anyAlive() {
    return threads.stream().anyMatch(Thread::isAlive);
  }

  private void joinOne(long ns) {
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        try {
          thread.join(java.time.Duration.ofNanos(ns));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        return;
      }
    }
  }
}

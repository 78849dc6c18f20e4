package steelyard.rmi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * One user of closed load: asks, waits for the answer, and asks again until the measured time ends.
 */
final class User implements Runnable {

  private final Caller caller;
  private final Recorder recorder;
  private final Deck deck;
  private final Window window;
  private final Pace pace;
  private final Start start;
  private volatile boolean active = true;

  /** For how long an answer is waited for, and what users do about failures. Times in ns. */
  record Pace(long timeout, String onFailure, long failurePause) {}

  /**
   * Where a slice's users wait for one another.
   *
   * @param connected counted down by each that has tried to connect
   * @param begin of the lead-in, once it is known
   */
  record Start(CountDownLatch connected, CompletableFuture<Long> begin) {}

  User(Caller caller, Recorder recorder, Deck deck, Window window, Pace pace, Start start) {
    this.caller = caller;
    this.recorder = recorder;
    this.deck = deck;
    this.window = window;
    this.pace = pace;
    this.start = start;
  }

  boolean isActive() {
    return active;
  }

  @Override
  public void run() {
    connect();
    long due = start.begin().join();
    while (true) {
      waitUntil(due);
      long now = System.nanoTime();
      if (now >= window.end()) {
        break;
      }
      long card = deck.draw();
      int kind = deck.kind(card);
      recorder.start(kind, due, now);
      Exchange exchange = asked(deck.entry(card), due, now);
      if (exchange == null) {
        recorder.drop(kind, given(deck.entry(card), due, now), caller.line());
        break;
      }
      recorder.finish(kind, exchange, caller.line());
      due = exchange.last();
      if (exchange.failure() != null) {
        if (pace.onFailure().equals("end")) {
          break;
        }
        due += pace.onFailure().equals("wait") ? pace.failurePause() : 0;
      }
    }
    active = false;
  }

  /**
   * Connects and looks the object up, unmeasured; where that fails, the first call will, and be
   * counted.
   */
  private void connect() {
    Line line = caller.line();
    boolean there = false;
    line.begin(System.nanoTime() + pace.timeout());
    try {
      caller.find();
      there = true;
    } catch (Exception | Error e) {
      // Whatever the server has sent, or the runtime makes of it: the first call will tell.
    }
    line.ended();
    if (!there) {
      line.broken();
    }
    line.takeOut();
    line.takeIn();
    start.connected().countDown();
  }

  /** One request; null where it was given up at the drain's limit. */
  private Exchange asked(Entry entry, long due, long now) {
    Line line = caller.line();
    Object answer = null;
    Throwable thrown = null;
    line.begin(now + pace.timeout());
    try {
      answer = caller.call(entry.method(), entry.arguments());
    } catch (Throwable e) { // whatever the server has sent, or the runtime makes of it
      thrown = e;
    }
    long last = System.nanoTime();
    Line.End end = line.ended();
    if (thrown == null) {
      boolean right = entry.marker() == null || Texts.contains(answer, entry.marker());
      return new Exchange(entry, due, now, line.firstByte(), last, null, right, answer);
    }
    if (end == Line.End.DRAIN) {
      return null;
    }
    Failure failure =
        end == Line.End.TIMEOUT ? Failure.TIMEOUT : Failure.of(thrown, line.answerBegun());
    if (failure == Failure.FAULT) {
      caller.forget(); // a server that was started again has another object
    } else {
      line.broken();
    }
    return new Exchange(entry, due, now, line.firstByte(), last, failure, false, Ask.words(thrown));
  }

  private static Exchange given(Entry entry, long due, long sent) {
    return new Exchange(entry, due, sent, 0, Long.MAX_VALUE, null, false, null);
  }

  static void waitUntil(long instant) {
    for (long left = instant - System.nanoTime(); left > 0; left = instant - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}

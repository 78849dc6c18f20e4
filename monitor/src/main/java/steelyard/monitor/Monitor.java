package steelyard.monitor;

import java.nio.file.Path;

/**
 * Where the time of a request goes, layer by layer. A layer is entered and left on the request's
 * own thread; when the outermost one is left, one record of the request is written.
 *
 * <p>Off unless the environment says where records go ({@code STEELYARD_RECORDS}, a folder), or
 * {@link #start} does; then every method here returns at once. A tag is any object; its {@code
 * toString} names the layer. A request that goes on in another thread, or leaves what it did not
 * enter, is a violation: its record says so, and its times are in no sum.
 */
public final class Monitor {

  /** The folder into which records are written from the start of the process on. */
  public static final String RECORDS = "STEELYARD_RECORDS";

  /**
   * The system property that an agent sets: it records what it watches by a monitor of its own, and
   * a library in the application then stays off, so that no request is recorded twice.
   */
  public static final String AGENT = "steelyard.agent";

  private static final long LONGEST_DELAY = 1_000_000_000L;
  private static final Tags TAGS = new Tags();
  private static final ThreadLocal<Crossings> CROSSINGS = new ThreadLocal<>();

  /**
   * By the last bits of a thread's number, whichever of those threads came last: on a server that
   * keeps many things for each thread, to find one of them takes longer than what is done with it.
   */
  private static final Crossings[] RECENT = new Crossings[256];

  /** Where records go; null while nothing is recorded, which is all that a call then looks at. */
  private static volatile Recorder recorder;

  static {
    String folder = System.getenv(RECORDS);
    if (folder != null && !folder.isBlank() && System.getProperty(AGENT) == null) {
      start(Path.of(folder));
    }
  }

  private Monitor() {}

  /** Whether calls are recorded. */
  public static boolean isOn() {
    return recorder != null;
  }

  /**
   * Begins to record into a folder, which is made if need be. Where it cannot be, this is said once
   * on standard error and every request counts as lost: a monitor never fails the request that it
   * watches.
   */
  public static synchronized void start(Path folder) {
    stop();
    recorder = new Recorder(folder);
  }

  /** Writes what is left, and how many requests were recorded, lost and in violation. */
  public static synchronized void stop() {
    Recorder last = recorder;
    recorder = null;
    if (last != null) {
      last.close();
    }
  }

  /** A tag that is found faster than an object that is compared with those known. */
  public static Tag tag(String name) {
    return TAGS.of(name);
  }

  /** The request enters a layer; the first one that it enters is its outermost. */
  public static void enter(Object tag) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).enter(TAGS.of(tag));
    }
  }

  /** As {@link #enter(Object)}. */
  public static void enter(Tag tag) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).enter(tag);
    }
  }

  /** The request leaves a layer; where it is the outermost, the request is over. */
  public static void exit(Object tag) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).exit(TAGS.of(tag));
    }
  }

  /** As {@link #exit(Object)}. */
  public static void exit(Tag tag) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).exit(tag);
    }
  }

  /**
   * A fact about the request, such as its operation; of too many or too long ones the rest is left
   * out.
   */
  public static void context(Object tag, String key, String value) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).context(TAGS.of(tag), key, value);
    }
  }

  /**
   * This thread's request, which is in its outermost layer alone, began before that could be
   * entered: at an instant of {@link System#nanoTime} that what came before noted. A later one
   * changes nothing.
   */
  public static void began(long nanoseconds) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).began(nanoseconds);
    }
  }

  /** Whether this thread's request is within a layer. */
  public static boolean isWithin(Object tag) {
    Recorder current = recorder;
    return current != null && crossings(current).isWithin(TAGS.of(tag));
  }

  /** The innermost layer that this thread's request is in; null where none is under way. */
  public static Tag innermost() {
    Recorder current = recorder;
    Crossings own = current == null ? null : CROSSINGS.get();
    return own == null || own.recorder() != current ? null : own.innermost();
  }

  /**
   * The request goes on in another thread, or outlives its outermost layer: its record is a
   * violation.
   */
  public static void leftThread() {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).leftThread();
    }
  }

  /**
   * Plants a delay into this thread's request, spent within a layer when it is first entered: for
   * tests of the monitor itself. One second is the longest; a layer that is not entered delays
   * nothing.
   */
  public static void delay(Object tag, long nanoseconds) {
    Recorder current = recorder;
    if (current != null) {
      crossings(current).delay(TAGS.of(tag), Math.max(0, Math.min(nanoseconds, LONGEST_DELAY)));
    }
  }

  /** This thread's own, of this recorder: what an earlier recorder had of it is over. */
  private static Crossings crossings(Recorder current) {
    Thread thread = Thread.currentThread();
    Crossings recent = RECENT[place(thread)];
    return recent != null && recent.isOf(thread, current) ? recent : kept(current, thread);
  }

  private static Crossings kept(Recorder current, Thread thread) {
    Crossings own = CROSSINGS.get();
    if (own == null || own.recorder() != current) {
      own = current.adopt(thread);
      CROSSINGS.set(own);
    }
    RECENT[place(thread)] = own;
    return own;
  }

  @SuppressWarnings("deprecation") // Thread.threadId() came after Java 17
  private static int place(Thread thread) {
    return (int) thread.getId() & (RECENT.length - 1);
  }
}

package steelyard.monitor;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * One recording: a folder with a file for each thread that serves requests, and at its end what
 * became of all requests, in {@code PID-N-end.json}. Memory is bounded: a thread's buffer serves
 * the next one when it has died, and what threads beyond {@link #MOST_THREADS} serve is counted as
 * lost.
 */
final class Recorder {

  static final int MOST_THREADS = 1024;

  private static final AtomicInteger RECORDERS = new AtomicInteger();

  private final Path folder;
  private final String name;
  private final boolean sinceStart;
  private final List<Held> held = new ArrayList<>();
  private final LongAdder lost = new LongAdder();
  private final Thread hook = new Thread(this::end, "steelyard-monitor-end");

  private volatile boolean closed;
  private volatile int endedElsewhere; // a bit for each tag
  private final long[] exitedAt = new long[Tags.MOST];
  private boolean said;

  /** A file, the thread whose records it has, and the layers that this is in. */
  private record Held(WeakReference<Thread> thread, RecordFile file, Crossings crossings) {

    boolean isFree() {
      Thread owner = thread.get();
      return owner == null || !owner.isAlive();
    }
  }

  Recorder(Path folder) {
    this.folder = folder;
    int number = RECORDERS.incrementAndGet();
    sinceStart = number == 1;
    name = ProcessHandle.current().pid() + "-" + number;
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      say(folder, e);
    }
    try {
      Runtime.getRuntime().addShutdownHook(hook);
    } catch (IllegalStateException e) {
      closed = true; // the process is ending
    }
  }

  /**
   * Whether this is the first recording of the process, so that no request was under way when it
   * began.
   */
  boolean sinceStart() {
    return sinceStart;
  }

  boolean isClosed() {
    return closed;
  }

  /** What a thread's crossings are kept in from now on. */
  synchronized Crossings adopt(Thread thread) {
    RecordFile file = null;
    for (int i = 0; i < held.size() && file == null; i++) {
      if (held.get(i).isFree()) {
        file = held.remove(i).file();
      }
    }
    if (file == null && held.size() < MOST_THREADS && !closed) {
      file = new RecordFile(this, folder.resolve(name + "-" + (held.size() + 1) + ".records"));
    }
    Crossings crossings = new Crossings(this, thread, file);
    if (file != null) {
      file.begin(thread);
      held.add(new Held(new WeakReference<>(thread), file, crossings));
    }
    return crossings;
  }

  void lost(int requests) {
    lost.add(requests);
  }

  /**
   * A thread left an outermost layer that it had not entered: another one waits for that in vain.
   */
  synchronized void exitedElsewhere(Tag tag, long now) {
    exitedAt[tag.index()] = now;
    endedElsewhere |= 1 << tag.index();
  }

  /**
   * Whether a request, which entered its outermost layer then and now seems to enter it within
   * itself, was ended by another thread, so that this is the next request; true once for each that
   * was.
   */
  boolean endedElsewhere(Tag outermost, long enteredAt) {
    return endedElsewhere != 0 && takeEndedElsewhere(outermost.index(), enteredAt);
  }

  private synchronized boolean takeEndedElsewhere(int index, long enteredAt) {
    int bit = 1 << index;
    if ((endedElsewhere & bit) == 0 || exitedAt[index] - enteredAt < 0) {
      return false;
    }
    endedElsewhere &= ~bit;
    return true;
  }

  /**
   * Says the first thing that went wrong with a file; the rest is in the number of lost requests.
   */
  synchronized void say(Path path, IOException reason) {
    if (!said) {
      said = true;
      System.err.println("steelyard monitor: records cannot be written to " + path + ": " + reason);
    }
  }

  /** Ends the recording before the process does. */
  void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the process is ending, and the hook does this
    }
    end();
  }

  private synchronized void end() {
    closed = true;
    long records = 0;
    long violations = 0;
    int open = 0;
    for (Held one : held) {
      one.file().close();
      records += one.file().records();
      violations += one.file().violations();
      open += one.crossings().isOpen() ? 1 : 0;
    }
    Instant now = Instant.now();
    String counts =
        String.format(
            "{\"records\":%d,\"lost\":%d,\"violations\":%d,\"open\":%d,\"ended_ns\":%d,\"ended_unix_ns\":%d}%n",
            records,
            lost.sum(),
            violations,
            open,
            System.nanoTime(),
            now.getEpochSecond() * 1_000_000_000L + now.getNano());
    Path path = folder.resolve(name + "-end.json");
    try {
      Files.write(path, counts.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      say(path, e);
    }
  }
}

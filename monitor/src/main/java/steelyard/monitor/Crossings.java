package steelyard.monitor;

import java.util.concurrent.locks.LockSupport;

/**
 * The layers that one thread's request is in, and the time that it has spent in each: in all, from
 * the outermost entry to its exit, however often the layer is entered within itself; and by itself,
 * without the layers inside. The second sums up to the time of the request.
 */
final class Crossings {

  /** What is wrong with a request, as its record has it; 0 where nothing is. */
  static final int EXIT_WITHOUT_ENTER = 1;

  static final int LEFT_OPEN = 2;
  static final int LEFT_THREAD = 4;
  static final int TOO_DEEP = 8;

  private static final int DEEPEST = 256;
  private static final int MOST_CONTEXTS = 32;
  private static final long SPUN_NS = 200_000;
  private static final int NONE = -1;

  private final Recorder recorder;
  private final RecordFile file; // null: there were too many threads, and what they serve is lost

  // By index, since a reference that is stored costs some collectors more than the clock costs us.
  private final int[] stack = new int[DEEPEST];
  private int depth;
  private int tooDeep;
  private long mark; // when a layer was last entered or left
  private int violations;
  private boolean everEntered;
  private int
      owed; // exits that may still come of a request that was taken for one that another thread
  // ended

  private final int[] used = new int[Tags.MOST];
  private final Tag[] tags = new Tag[Tags.MOST];
  private int usedCount;
  private final int[] entries = new int[Tags.MOST];
  private final int[] open = new int[Tags.MOST];
  private final long[] enteredAt = new long[Tags.MOST];
  private final long[] firstAt = new long[Tags.MOST];
  private final long[] total = new long[Tags.MOST];
  private final long[] self = new long[Tags.MOST];

  private final Tag[] contextTags = new Tag[MOST_CONTEXTS];
  private final String[] contextKeys = new String[MOST_CONTEXTS];
  private final String[] contextValues = new String[MOST_CONTEXTS];
  private int contexts;

  private int delayedTag = NONE;
  private long delayNs;

  Crossings(Recorder recorder, RecordFile file) {
    this.recorder = recorder;
    this.file = file;
  }

  Recorder recorder() {
    return recorder;
  }

  void enter(Tag tag) {
    int index = tag.index();
    if (depth > 0 && index == stack[0] && recorder.endedElsewhere(tag, enteredAt[index])) {
      violations |= LEFT_THREAD;
      owed = depth;
      finish();
    }
    if (depth == DEEPEST) {
      violations |= TOO_DEEP;
      tooDeep++;
      return;
    }
    if (entries[index]++ == 0) {
      used[usedCount++] = index;
      if (tags[index] == null) {
        tags[index] = tag;
      }
    }
    everEntered = true;
    long now = System.nanoTime(); // late: what comes before is the time of the layer outside
    if (depth > 0) {
      self[stack[depth - 1]] += now - mark;
    }
    mark = now;
    stack[depth++] = index;
    if (open[index]++ == 0) {
      enteredAt[index] = now;
      if (entries[index] == 1) {
        firstAt[index] = now;
        if (index == delayedTag) {
          spendDelay(now);
        }
      }
    }
  }

  void exit(Tag tag, long now) {
    if (tooDeep > 0) {
      tooDeep--;
      return;
    }
    if (depth == 0 || open[tag.index()] == 0) {
      exitWithoutEnter(tag, now);
      return;
    }
    while (stack[depth - 1] != tag.index()) { // left without an exit, as by an exception
      violations |= LEFT_OPEN;
      leave(now);
    }
    leave(now);
    if (depth == 0) {
      finish();
    }
  }

  private void leave(long now) {
    int index = stack[--depth];
    self[index] += now - mark;
    mark = now;
    if (--open[index] == 0) {
      total[index] += now - enteredAt[index];
    }
  }

  private void exitWithoutEnter(Tag tag, long now) {
    if (depth > 0) {
      violations |= EXIT_WITHOUT_ENTER;
    } else if (owed > 0) {
      owed--; // of a request that was given up: its record says so already
    } else if (everEntered || recorder.sinceStart()) { // else recording began within this request
      recorder.exitedElsewhere(tag, now);
      mark = now;
      violations |= EXIT_WITHOUT_ENTER;
      finish();
    }
  }

  void context(Tag tag, String key, String value) {
    if (depth > 0 && contexts < MOST_CONTEXTS) {
      contextTags[contexts] = tag;
      contextKeys[contexts] = String.valueOf(key);
      contextValues[contexts++] = String.valueOf(value);
    }
  }

  Tag innermost() {
    return depth == 0 ? null : tags[stack[depth - 1]];
  }

  boolean isWithin(Tag tag) {
    return open[tag.index()] > 0;
  }

  void began(long at) {
    if (depth == 1 && usedCount == 1 && at - mark < 0) {
      mark = at;
      enteredAt[stack[0]] = at;
      firstAt[stack[0]] = at;
    }
  }

  void leftThread() {
    if (depth > 0) {
      violations |= LEFT_THREAD;
    }
  }

  void delay(Tag tag, long nanoseconds) {
    if (depth > 0) {
      delayedTag = tag.index();
      delayNs = nanoseconds;
    }
  }

  /** Sleeps, and spins at the end, since a sleep ends late. */
  private void spendDelay(long begun) {
    delayedTag = NONE;
    long left = delayNs;
    while (left > 0) {
      if (left > SPUN_NS) {
        LockSupport.parkNanos(left - SPUN_NS);
      } else {
        Thread.onSpinWait();
      }
      left = delayNs - (System.nanoTime() - begun);
    }
  }

  /**
   * The request is over: its record is made, after its last time stamp, and all is as before the
   * first.
   */
  private void finish() {
    if (file == null) {
      recorder.lost(1);
    } else {
      file.write(this);
    }
    for (int i = 0; i < usedCount; i++) {
      int index = used[i];
      entries[index] = 0;
      open[index] = 0;
      total[index] = 0;
      self[index] = 0;
    }
    for (int i = 0; i < contexts; i++) {
      contextKeys[i] = null;
      contextValues[i] = null;
    }
    usedCount = 0;
    contexts = 0;
    depth = 0;
    tooDeep = 0;
    violations = 0;
    delayedTag = NONE;
  }

  boolean isOpen() {
    return depth > 0;
  }

  int violations() {
    return violations;
  }

  /** When the request entered its outermost layer, by {@link System#nanoTime}. */
  long begunAt() {
    return usedCount > 0 ? firstAt[used[0]] : mark;
  }

  int layers() {
    return usedCount;
  }

  Tag layer(int place) {
    return tags[used[place]];
  }

  int entriesOf(Tag tag) {
    return entries[tag.index()];
  }

  long totalOf(Tag tag) {
    return total[tag.index()];
  }

  long selfOf(Tag tag) {
    return self[tag.index()];
  }

  long firstOf(Tag tag) {
    return firstAt[tag.index()];
  }

  int contexts() {
    return contexts;
  }

  Tag contextTag(int place) {
    return contextTags[place];
  }

  String contextKey(int place) {
    return contextKeys[place];
  }

  String contextValue(int place) {
    return contextValues[place];
  }
}

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
  private final Thread thread;
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

  private final Stay[] stays = new Stay[Tags.MOST]; // by tag; null: never entered by this thread
  private final int[] used = new int[Tags.MOST];
  private int usedCount;

  private final Tag[] contextTags = new Tag[MOST_CONTEXTS];
  private final String[] contextKeys = new String[MOST_CONTEXTS];
  private final String[] contextValues = new String[MOST_CONTEXTS];
  private int contexts;

  private int delayedTag = NONE;
  private long delayNs;

  Crossings(Recorder recorder, Thread thread, RecordFile file) {
    this.recorder = recorder;
    this.thread = thread;
    this.file = file;
  }

  Recorder recorder() {
    return recorder;
  }

  boolean isOf(Thread asked, Recorder current) {
    return thread == asked && recorder == current;
  }

  void enter(Tag tag) {
    int index = tag.index();
    if (depth > 1 && depth < DEEPEST && isInner(index, depth - 1)) {
      within(index);
      return;
    }
    if (depth > 0 && index == stack[0] && recorder.endedElsewhere(tag, stays[index].enteredAt)) {
      violations |= LEFT_THREAD;
      owed = depth;
      finish();
    }
    if (depth == DEEPEST) {
      violations |= TOO_DEEP;
      tooDeep++;
      return;
    }
    Stay stay = stays[index];
    if (stay == null) {
      stay = new Stay(tag);
      stays[index] = stay;
    }
    if (stay.entries++ == 0) {
      used[usedCount++] = index;
    }
    everEntered = true;
    long now = System.nanoTime(); // late: what comes before is the time of the layer outside
    if (depth > 0) {
      stays[stack[depth - 1]].self += now - mark;
    }
    mark = now;
    stack[depth++] = index;
    if (stay.open++ == 0) {
      stay.enteredAt = now;
      if (stay.entries == 1) {
        stay.firstAt = now;
        if (index == delayedTag) {
          spendDelay(now);
        }
      }
    }
  }

  /** Whether at a place of the stack there is a layer, which is not the outermost one. */
  private boolean isInner(int index, int place) {
    return stack[place] == index && stack[0] != index;
  }

  /** A layer calls itself: its time goes on, and no clock need be read, here or when it is left. */
  private void within(int index) {
    Stay stay = stays[index];
    stay.entries++;
    stay.open++;
    stack[depth++] = index;
  }

  void exit(Tag tag) {
    if (tooDeep > 0) {
      tooDeep--;
      return;
    }
    int index = tag.index();
    if (depth > 2 && isInner(index, depth - 1) && isInner(index, depth - 2)) {
      stays[index].open--;
      depth--;
      return;
    }
    long now = System.nanoTime();
    if (!isWithin(tag)) {
      exitWithoutEnter(tag, now);
      return;
    }
    while (stack[depth - 1] != index) { // left without an exit, as by an exception
      violations |= LEFT_OPEN;
      leave(now);
    }
    leave(now);
    if (depth == 0) {
      finish();
    }
  }

  private void leave(long now) {
    Stay stay = stays[stack[--depth]];
    stay.self += now - mark;
    mark = now;
    if (--stay.open == 0) {
      stay.total += now - stay.enteredAt;
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
    return depth == 0 ? null : stays[stack[depth - 1]].tag;
  }

  boolean isWithin(Tag tag) {
    Stay stay = stays[tag.index()];
    return stay != null && stay.open > 0;
  }

  void began(long at) {
    if (depth == 1 && usedCount == 1 && at - mark < 0) {
      mark = at;
      Stay outermost = stays[stack[0]];
      outermost.enteredAt = at;
      outermost.firstAt = at;
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
      stays[used[i]].end();
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
    return usedCount > 0 ? layer(0).firstAt : mark;
  }

  int layers() {
    return usedCount;
  }

  Stay layer(int place) {
    return stays[used[place]];
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

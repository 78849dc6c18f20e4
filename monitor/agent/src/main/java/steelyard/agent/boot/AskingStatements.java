package steelyard.agent.boot;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The prepared statements that ask for rows, as long as somebody holds them. */
final class AskingStatements {

  private static final Set<Key> KNOWN = ConcurrentHashMap.newKeySet();
  private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();

  private AskingStatements() {}

  static void add(Object statement) {
    for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
      KNOWN.remove(gone);
    }
    KNOWN.add(new Key(statement));
  }

  static boolean has(Object statement) {
    return KNOWN.contains(new Key(statement));
  }

  /** By identity: what a driver's `equals` does is not ours to call. */
  private static final class Key extends WeakReference<Object> {

    private final int hash;

    Key(Object statement) {
      super(statement, GONE);
      hash = System.identityHashCode(statement);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      if (this == other) {
        return true;
      }
      Object statement = get();
      return statement != null && other instanceof Key key && key.get() == statement;
    }
  }
}

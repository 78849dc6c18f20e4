package steelyard.monitor.jdbc;

import java.util.Locale;
import steelyard.monitor.Layers;
import steelyard.monitor.Tag;

/** Whether the execution of a statement reads or writes. */
public final class Executions {

  private Executions() {}

  /**
   * By the name of the method that executes it, and by its text, null where that is not known: a
   * read where it is asked for a result or its text asks for one, else a write.
   */
  public static Tag layerOf(String method, String sql) {
    if (method.equals("executeQuery")) {
      return Layers.READS;
    }
    return method.equals("execute") && sql != null && asks(sql) ? Layers.READS : Layers.WRITES;
  }

  /** Whether a statement's text asks for rows. */
  public static boolean asks(String sql) {
    String begins = sql.stripLeading();
    begins = begins.substring(0, Math.min(7, begins.length())).toUpperCase(Locale.ROOT);
    return begins.startsWith("SELECT")
        || begins.startsWith("WITH")
        || begins.startsWith("VALUES")
        || begins.startsWith("TABLE");
  }
}

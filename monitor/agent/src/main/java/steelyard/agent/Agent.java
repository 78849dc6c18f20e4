package steelyard.agent;

import java.lang.instrument.Instrumentation;

/**
 * What the JVM calls before the application begins. Whatever goes wrong here is said on standard
 * error, and the application begins all the same, unwatched.
 *
 * <p>Nothing in this package touches {@code java.util.logging}: a server that brings a log manager
 * of its own, as WildFly does, could not set it any more.
 */
public final class Agent {

  private Agent() {}

  /** The argument is a file of settings, or settings: see {@link Settings}. */
  public static void premain(String argument, Instrumentation instrumentation) {
    try {
      BootClasses.append(instrumentation);
      Watching.begin(argument, instrumentation);
    } catch (Exception | LinkageError e) {
      System.err.println("steelyard agent: nothing is watched: " + e.getMessage());
    }
  }
}

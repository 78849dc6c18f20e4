package steelyard.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import steelyard.agent.boot.Hooks;
import steelyard.monitor.Monitor;

/** Begins to watch an application, as the settings say. */
final class Watching {

  private Watching() {}

  static void begin(String argument, Instrumentation instrumentation) throws IOException {
    System.setProperty(Monitor.AGENT, "on"); // a library in the application stays off
    System.setProperty(
        "net.bytebuddy.safe", "true"); // else newer JVMs warn that it looks at Unsafe
    Settings settings = Settings.of(argument, System.getenv(Monitor.RECORDS));
    if (settings.records() == null) {
      System.err.println(
          "steelyard agent: nothing is watched: neither the setting 'records' nor "
              + Monitor.RECORDS
              + " names a folder");
      return;
    }
    Counts counts = new Counts();
    Hooks.rule(settings.begin(), settings.paths(), settings.delays());
    Weaver.of(settings, counts).installOn(instrumentation);
    Monitor.start(settings.records());
    counts.writeAtTheEnd(settings.records());
  }
}

package steelyard.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.utility.JavaModule;
import steelyard.agent.boot.Hooks;

/**
 * What became of the classes that were to be watched, and of what could not be recorded; written
 * into {@code PID-agent.json} beside the records when the process ends.
 */
final class Counts extends AgentBuilder.Listener.Adapter {

  private static final int MOST_NAMED = 20;
  private static final int LONGEST = 300;

  private final Map<String, Integer> woven = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private final Set<String> unseen = new HashSet<>();
  private int failed;

  /** A class is changed for the sake of a layer. */
  synchronized void woven(String layer) {
    woven.merge(layer, 1, Integer::sum);
  }

  /** A class is left alone, since its loader does not see what would be woven in. */
  synchronized void unseen(String type, ClassLoader loader) {
    if (unseen.add(type) && unseen.size() == 1) {
      System.err.println(
          "steelyard agent: "
              + type
              + " is not watched: its loader does not see the agent, "
              + loader);
    }
  }

  @Override
  public synchronized void onError(
      String type, ClassLoader loader, JavaModule module, boolean loaded, Throwable reason) {
    if (failed++ == 0) {
      System.err.println(
          "steelyard agent: "
              + type
              + " stays as it is and is not watched: "
              + reason.getMessage());
    }
    if (failures.size() < MOST_NAMED) {
      failures.add(type + ": " + reason.getMessage());
    }
  }

  /** How many classes could not be changed. */
  synchronized int failed() {
    return failed;
  }

  /** How many classes were left alone for their loaders' sake. */
  synchronized int unseen() {
    return unseen.size();
  }

  /** Writes the counts into a folder when the process ends. */
  void writeAtTheEnd(Path folder) {
    Path file = folder.resolve(ProcessHandle.current().pid() + "-agent.json");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(file), "steelyard-agent-end"));
  }

  private void write(Path file) {
    try {
      Files.write(file, json().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      System.err.println("steelyard agent: its counts cannot be written to " + file + ": " + e);
    }
  }

  /** The counts as the README of the agent describes them. */
  synchronized String json() {
    String named = failures.stream().map(Counts::text).collect(Collectors.joining(","));
    return "{\"woven\":%s,\"failed\":%d,\"failures\":[%s],\"unseen\":%d,\"outside\":%s}%n"
        .formatted(object(woven), failed, named, unseen.size(), object(Hooks.outside()));
  }

  private static String object(Map<String, ? extends Number> counts) {
    return counts.entrySet().stream()
        .map(each -> text(each.getKey()) + ":" + each.getValue())
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String text(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    value
        .chars()
        .limit(LONGEST)
        .forEach(
            each -> {
              if (each == '"' || each == '\\') {
                quoted.append('\\').append((char) each);
              } else {
                quoted.append(each < ' ' ? ' ' : (char) each);
              }
            });
    return quoted.append('"').toString();
  }
}

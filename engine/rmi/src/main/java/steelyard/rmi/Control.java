package steelyard.rmi;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;

/** Standard input: one JSON object a line, read by a thread of its own. */
final class Control {

  private static final long SECOND = 1_000_000_000;

  /** What a line asks for. */
  sealed interface Asked permits Prepare, Go, Enough, Wrong, InputEnded {}

  record Prepare(long slice) implements Asked {}

  /** To run a slice: at once (0), or at an instant. */
  record Go(long slice, long at) implements Asked {}

  /** To end a slice's measured time: at the next second that there is (-1), or after so many. */
  record Enough(long slice, long second) implements Asked {

    long end(long begin, long now) {
      return begin + Math.max(second, (now - begin) / SECOND + 1) * SECOND;
    }
  }

  /** A line that asks for nothing that is known, with why. */
  record Wrong(String why) implements Asked {}

  record InputEnded() implements Asked {}

  private record Turns(long[] slices, double ms) {}

  private record Line(Long prepare, Long go, Long atNs, Long enough, Long atS, Turns turns) {}

  private Control() {}

  static Asked parse(String text) {
    try {
      Line line = Json.OF_THE_LAB.readValue(text, Line.class);
      if (line.turns() != null) {
        return new Wrong(
            "this driver takes no turns: a slice of it has the machine in one stretch");
      }
      if (line.go() != null && line.prepare() == null && line.enough() == null) {
        return new Go(line.go(), line.atNs() == null ? 0 : line.atNs());
      }
      if (line.prepare() != null && line.go() == null && line.enough() == null) {
        return new Prepare(line.prepare());
      }
      if (line.enough() != null && line.go() == null && line.prepare() == null) {
        return new Enough(line.enough(), line.atS() == null ? -1 : line.atS());
      }
      return new Wrong("'" + text + "' must ask for one thing, as {\"go\":3} or {\"enough\":3}");
    } catch (JsonProcessingException e) {
      return new Wrong("'" + text + "' asks for nothing that is known: " + Json.words(e));
    }
  }

  /** Reads lines until there are no more. */
  static void readInBackground(InputStream in, BlockingQueue<Asked> asked) {
    Thread.ofPlatform()
        .daemon()
        .name("control")
        .start(
            () -> {
              try (var lines =
                  new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  if (!line.isBlank()) {
                    asked.add(parse(line));
                  }
                }
              } catch (IOException e) {
                // As if it had ended.
              }
              asked.add(new InputEnded());
            });
  }
}

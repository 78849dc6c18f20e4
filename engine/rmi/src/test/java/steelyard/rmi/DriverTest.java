package steelyard.rmi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import steelyard.rmi.sample.Served;

/** The driver as a process, against servers that know the truth or do not keep to anything. */
@Timeout(120)
class DriverTest {

  @TempDir Path folder;

  @Test
  void whatIsCountedIsWhatTheServerCounted() throws Exception {
    try (var served = new Served(false);
        var driven = new Driven(folder, Driven.job(folder, served.port(), 1, "echo", "nothing"))) {
      driven.until("{\"ready\":true}");
      Map<String, String> first = driven.go(0);
      assertThat(ended(first)).isEqualTo(served.calls()).isEqualTo(number(first, "sent"));
      assertThat(number(first, "completed")).isPositive();
      assertThat(first)
          .containsEntry("valid", "1")
          .containsEntry("connects", "4")
          .containsEntry("closes", "0");
      assertThat(number(first, "bytes_out")).isGreaterThan(10 * number(first, "completed"));
      assertThat(number(first, "bytes_in")).isGreaterThan(10 * number(first, "completed"));
      assertThat(number(first, "engine_user_ns") + number(first, "engine_system_ns"))
          .isBetween(1_000_000L, 3_000_000_000L);
      Map<String, String> second = driven.go(1);
      assertThat(ended(first) + ended(second)).isEqualTo(served.calls());
      assertThat(second).containsEntry("connects", "0"); // users keep their connections
      assertThat(driven.end()).isZero();
      List<Map<String, String>> ticks = driven.rows("ticks.csv");
      assertThat(ticks.stream().mapToLong(tick -> number(tick, "completed")).sum())
          .isBetween(
              number(first, "completed") + number(second, "completed") - 8,
              number(first, "completed") + number(second, "completed"));
      String summary = Files.readString(folder.resolve("out/summary.json"));
      var little =
          Json.OF_THE_LAB.readTree(summary).get("slices").get(0).get("littles_law").doubleValue();
      assertThat(little).isBetween(0.98, 1.02);
      assertThat(Files.readString(folder.resolve("out/samples/0.answer")))
          .contains("\"text\":\"mark\"");
    }
  }

  @Test
  void aWrongAnswerVoidsTheSlice() throws Exception {
    try (var served = new Served(false);
        var driven = new Driven(folder, Driven.job(folder, served.port(), 0.5, "wrong"))) {
      Map<String, String> row = driven.go(0);
      assertThat(number(row, "wrong")).isPositive();
      assertThat(row).containsEntry("completed", "0").containsEntry("valid", "0");
      assertThat(row.get("why_not")).contains("wrong answers");
      assertThat(driven.rows("samples/index.csv").getFirst()).containsEntry("outcome", "wrong");
    }
  }

  @ParameterizedTest
  @CsvSource({"refuse,fault", "alien,malformed"})
  void whatIsNoAnswerFailsByItsKindAndTheDriverGoesOn(String kind, String failure)
      throws Exception {
    try (var served = new Served(false);
        var driven = new Driven(folder, Driven.job(folder, served.port(), 0.5, kind, "echo"))) {
      Map<String, String> row = driven.go(0);
      assertThat(number(row, failure)).isPositive();
      assertThat(ended(row)).isEqualTo(number(row, "sent"));
      assertThat(row).containsEntry("completed", "0");
      assertThat(number(driven.go(1), "completed")).isPositive();
    }
  }

  @Test
  void aCallThatHangsIsATimeoutWithinItsTime() throws Exception {
    try (var served = new Served(false)) {
      String job =
          Driven.job(folder, served.port(), 1, "hang", "echo")
              .replace("\"timeout_ms\":5000", "\"timeout_ms\":300");
      try (var driven = new Driven(folder, job)) {
        driven.until("{\"ready\":true}");
        long begun = System.nanoTime();
        Map<String, String> row = driven.go(0);
        assertThat(System.nanoTime() - begun).isLessThan(4_000_000_000L);
        assertThat(number(row, "timeout")).isPositive();
        assertThat(row)
            .containsEntry("reset", "0")
            .containsEntry("dropped", "0")
            .containsEntry("closes", "0");
        assertThat(number(driven.go(1), "completed")).isPositive();
      }
    }
  }

  @Test
  void whatIsNotAnsweredAtTheDrainsLimitIsDropped() throws Exception {
    try (var served = new Served(false)) {
      String job =
          Driven.job(folder, served.port(), 0.5, "hang")
              .replace("\"drain_limit_ms\":2000", "\"drain_limit_ms\":200");
      try (var driven = new Driven(folder, job)) {
        Map<String, String> row = driven.go(0);
        assertThat(row)
            .containsEntry("dropped", "4")
            .containsEntry("unfinished", "4")
            .containsEntry("sent", "4")
            .containsEntry("valid", "1");
        assertThat(number(row, "oldest_unfinished_ns")).isEqualTo(600_000_000L);
        assertThat(number(row, "unfinished_ns_sum")).isEqualTo(4 * 500_000_000L);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"refused", "reset", "malformed", "timeout"})
  void aServerThatSpeaksNoRmiFailsByItsKindWithinItsTime(String kind) throws Exception {
    try (var hostile = new Hostile(kind)) {
      String job =
          Driven.job(folder, hostile.port(), 1, "echo")
              .replace("\"timeout_ms\":5000", "\"timeout_ms\":300");
      try (var driven = new Driven(folder, job)) {
        driven.until("{\"ready\":true}");
        long begun = System.nanoTime();
        Map<String, String> row = driven.go(0);
        assertThat(System.nanoTime() - begun).isLessThan(5_000_000_000L);
        assertThat(number(row, kind)).as(row.toString()).isPositive();
        assertThat(failed(row)).isEqualTo(number(row, kind));
        assertThat(ended(row)).isEqualTo(number(row, "sent"));
      }
    }
  }

  @Test
  void aReferenceThatLeadsElsewhereIsNotFollowed() throws Exception {
    try (var served = new Served(true);
        var driven = new Driven(folder, Driven.job(folder, served.port(), 0.3, "nothing"))) {
      Map<String, String> row = driven.go(0);
      assertThat(row).containsEntry("completed", "0");
      assertThat(served.connections()).isZero();
      assertThat(served.calls()).isZero();
    }
  }

  @Test
  void theMixIsWhatWasAsked() throws Exception {
    try (var served = new Served(false)) {
      String mix = Driven.slice(0, 1, "{\"echo\":3,\"nothing\":1}");
      String job =
          Driven.job(folder, served.port(), 1, "echo")
              .replace(Driven.slice(0, 1, "{\"echo\":1}"), mix);
      try (var driven = new Driven(folder, job)) {
        Map<String, String> row = driven.go(0);
        assertThat(row).containsEntry("operation", "echo+nothing").containsEntry("valid", "1");
        assertThat(driven.end()).isZero();
        var parts =
            Json.OF_THE_LAB
                .readTree(folder.resolve("out/summary.json").toFile())
                .at("/slices/0/mix");
        assertThat(parts.get(0).get("achieved_share").doubleValue()).isBetween(0.74, 0.76);
      }
    }
  }

  @Test
  void aSliceEndsEarlyWhereItHasShownEnoughAndAtTheEndOfInput() throws Exception {
    try (var served = new Served(false);
        var driven = new Driven(folder, Driven.job(folder, served.port(), 30, "echo", "nothing"))) {
      driven.say("{\"prepare\":0}");
      driven.until("{\"prepared\":0}");
      driven.say("{\"go\":0,\"at_ns\":" + (System.nanoTime() + 50_000_000) + "}");
      driven.until("{\"tick\":");
      driven.say("{\"enough\":0}");
      driven.until("{\"drained\":0}");
      assertThat(driven.rows("slices.csv").getLast())
          .containsEntry("measured_ns", "2000000000")
          .containsEntry("valid", "1");
      driven.say("{\"go\":1}");
      driven.until("{\"tick\":");
      assertThat(driven.end()).isZero();
      assertThat(driven.rows("slices.csv").getLast())
          .containsEntry("valid", "0")
          .containsEntry("why_not", "the slice was broken off");
    }
  }

  static Stream<List<String>> refusals() {
    return Stream.of(
        List.of(
            "\"big-bang\"",
            "\"ramp\"",
            "slice 0 is a load of kind ramp; this driver drives steady users alone (big-bang)"),
        List.of(
            "\"seed\":1",
            "\"seed\":1,\"connection\":\"per-request\"",
            "this driver does not know a connection for each request"),
        List.of(
            "\"seed\":1",
            "\"seed\":1,\"sessions\":{\"a\":{}}",
            "this driver does not know sessions"),
        List.of("\"seed\":1", "\"sead\":1", "sead"),
        List.of(
            "\"rmi\":{",
            "\"http2\":{\"streams\":9},\"rmi\":{",
            "this driver does not know HTTP/2, which target s wants"),
        List.of(
            "\"subject\":\"s\",\"host\"",
            "\"subject\":\"s\",\"headers\":{\"X\":\"y\"},\"host\"",
            "target s has headers, and a call by RMI has none"),
        List.of(
            "\"users\":4",
            "\"users\":4000",
            "slice 0 has 4000 users; this driver has a thread for each, and at most 1000"),
        List.of(
            "sample.Sample",
            "sample.Simple",
            "the remote interface steelyard.rmi.sample.Simple is not among the contract's classes"),
        List.of(
            "\"contains\":\"mark\"", "\"matches\":\"m\"", "rule marked judges bytes of an answer"),
        List.of(
            "\"rmi\":{",
            "\"redirects\":{},\"rmi\":{",
            "this driver does not know redirects, which target s wants"),
        List.of("\"contains\":\"mark\"", "\"events\":\"grpc\"", "rule marked expects events"),
        List.of("{\"echo\":1}", "{\"egho\":1}", "the corpus has no requests called egho"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatItDoesNotDoItRefusesInASentence(List<String> change) throws Exception {
    String job = Driven.job(folder, 1, 1, "echo").replace(change.get(0), change.get(1));
    try (var driven = new Driven(folder, job)) {
      assertThat(driven.end()).isEqualTo(2);
      assertThat(driven.errors())
          .contains(change.get(2))
          .startsWith("steelyard-rmi: ")
          .hasLineCount(1);
    }
  }

  static Stream<Arguments> recordsOfTheContract() {
    return Stream.of(
        Arguments.of("", Job.class),
        Arguments.of("/$defs/Rule", Job.Rule.class),
        Arguments.of("/$defs/Target", Job.Target.class),
        Arguments.of("/$defs/Slice", Job.Slice.class),
        Arguments.of("/$defs/Think", Job.Think.class),
        Arguments.of("/$defs/OnFailure", Job.OnFailure.class),
        Arguments.of("/$defs/Samples", Job.Samples.class),
        Arguments.of("/$defs/EngineShare", Job.Share.class),
        Arguments.of("/$defs/Rmi", Job.Rmi.class));
  }

  /** The lab writes keys that are not set, too: one that is missing here makes every job fail. */
  @ParameterizedTest
  @MethodSource("recordsOfTheContract")
  void everyKeyThatTheLabWritesIsRead(String place, Class<?> part) throws Exception {
    var contract = Path.of("..", "..", "contracts", "job.schema.json").toFile();
    var type = Json.OF_THE_LAB.constructType(part);
    var read =
        Json.OF_THE_LAB.getDeserializationConfig().introspect(type).findProperties().stream()
            .map(BeanPropertyDefinition::getName)
            .toList();
    assertThat(read)
        .containsExactlyInAnyOrderElementsOf(
            Json.OF_THE_LAB.readTree(contract).at(place + "/properties")::fieldNames);
  }

  @Test
  void aLineThatItCannotObeyEndsIt() throws Exception {
    try (var driven = new Driven(folder, Driven.job(folder, 1, 1, "echo"))) {
      driven.say("{\"turns\":{\"slices\":[0],\"ms\":150}}");
      assertThat(driven.end()).isEqualTo(1);
      assertThat(driven.errors()).contains("this driver takes no turns");
    }
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(row.get(column));
  }

  private static long failed(Map<String, String> row) {
    return Stream.of(Failure.values()).mapToLong(kind -> number(row, kind.column())).sum();
  }

  private static long ended(Map<String, String> row) {
    long outside =
        Stream.of(Failure.values())
            .mapToLong(kind -> number(row, "outside_" + kind.column()))
            .sum();
    return number(row, "completed")
        + number(row, "wrong")
        + failed(row)
        + number(row, "lead_in_completed")
        + number(row, "outside_wrong")
        + outside
        + number(row, "dropped");
  }

  /** A server that does one thing wrong with every connection. */
  private static final class Hostile implements AutoCloseable {

    private final ServerSocket socket;
    private final int port;

    Hostile(String deed) throws IOException {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      port = socket.getLocalPort();
      if (deed.equals("refused")) {
        socket.close();
      }
      Thread.ofPlatform().daemon().start(() -> serve(deed));
    }

    int port() {
      return port;
    }

    private void serve(String deed) {
      var kept = new java.util.ArrayList<Socket>();
      try {
        while (true) {
          Socket connection = socket.accept();
          kept.add(connection);
          if (deed.equals("reset")) {
            connection.close();
          } else if (deed.equals("malformed")) {
            connection.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
          }
        }
      } catch (IOException closed) {
        // The test is over.
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}

package steelyard.rmi;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One run, as contracts/job.schema.json describes it. What this driver does not do is read as well,
 * so that {@link Check} can say so.
 */
record Job(
    long seed,
    String corpus,
    Map<String, Rule> rules,
    List<Target> targets,
    List<Slice> slices,
    Map<String, JsonNode> sessions,
    Integer threads,
    List<Integer> cpus,
    Double timeoutMs,
    Double drainLimitMs,
    OnFailure onFailure,
    String connection,
    Samples samples,
    boolean secondsHistograms,
    boolean logRequests,
    Share share) {

  Job {
    sessions = sessions == null ? Map.of() : sessions;
    cpus = cpus == null ? List.of() : cpus;
    threads = threads == null ? 1 : threads;
    timeoutMs = timeoutMs == null ? 30_000 : timeoutMs;
    drainLimitMs = drainLimitMs == null ? 10_000 : drainLimitMs;
    onFailure = onFailure == null ? new OnFailure(null, null) : onFailure;
    connection = connection == null ? "keep-alive" : connection;
    samples = samples == null ? new Samples(null, null, null) : samples;
    share = share == null ? new Share(0, 1) : share;
  }

  /** The remote interface that a target answers by, and the jars with it and its values. */
  record Rmi(@JsonProperty("interface") String remote, List<String> classes) {}

  record Target(
      String subject,
      String url,
      String host,
      Integer port,
      JsonNode addresses,
      boolean secure,
      String path,
      String method,
      Map<String, String> headers,
      Map<String, Map<String, String>> operationHeaders,
      JsonNode tls,
      JsonNode http2,
      JsonNode redirects,
      Rmi rmi,
      JsonNode keepers) {

    /** Host, port and path, as the url says them, or else each for itself. */
    URI where() throws Refusal {
      String at = url != null ? url : "rmi://" + host + ":" + port + (path == null ? "/" : path);
      try {
        return new URI(at);
      } catch (URISyntaxException e) {
        throw new Refusal("target " + subject + " is nowhere: " + at);
      }
    }
  }

  record Rule(
      List<Integer> status,
      String fault,
      String faultIn,
      JsonNode length,
      String contains,
      String sha256,
      String matches,
      String events) {}

  record Profile(
      String kind,
      int users,
      double seconds,
      JsonNode fromUsers,
      JsonNode toUsers,
      JsonNode levels,
      JsonNode holdSeconds,
      JsonNode rampSeconds,
      JsonNode pauseSeconds,
      JsonNode onSeconds,
      JsonNode offSeconds,
      JsonNode idleSeconds,
      JsonNode arrivals,
      JsonNode stages,
      JsonNode maxInFlight,
      JsonNode each,
      JsonNode extra,
      JsonNode mostSeconds) {}

  record Think(String kind, double ms, double toMs) {}

  record Slice(
      long number,
      String subject,
      String phase,
      Profile profile,
      Map<String, Double> mix,
      long deckSeed,
      Think think,
      Double leadInMs) {

    Slice {
      leadInMs = leadInMs == null ? 200 : leadInMs;
    }

    /** The names of its mix in one. */
    String operation() {
      return String.join("+", mix.keySet());
    }

    long leadInNs() {
      return Math.round(leadInMs * 1e6);
    }

    long measuredNs() {
      return Math.round(profile.seconds() * 1e9);
    }
  }

  record OnFailure(String kind, Double ms) {

    OnFailure {
      kind = kind == null ? "wait" : kind;
      ms = ms == null ? 10 : ms;
    }
  }

  record Samples(Long oneIn, Long mostRight, Long mostFailed) {

    Samples {
      oneIn = oneIn == null ? 1000 : oneIn;
      mostRight = mostRight == null ? 200 : mostRight;
      mostFailed = mostFailed == null ? 100 : mostFailed;
    }
  }

  record Share(int place, int of) {}

  /** The job in a file; an unknown key is refused by its name. */
  static Job read(Path file) throws Refusal {
    try {
      return Json.OF_THE_LAB.readValue(Files.readString(file), Job.class);
    } catch (JsonProcessingException e) {
      throw new Refusal(file + " is no job: " + Json.words(e));
    } catch (IOException e) {
      throw new Refusal(file + " cannot be read: " + e.getMessage());
    }
  }
}

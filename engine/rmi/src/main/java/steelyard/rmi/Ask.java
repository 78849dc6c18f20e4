package steelyard.rmi;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Asks one call a line, over one line: how the lab verifies a server.
 *
 * <p>It reads {@code {"path": "/NAME/METHOD", "body": "{...}", "instead": null}} and says {@code
 * {"status": 200, "body": "..."}}, status 500 with the words of an exception that came in place of
 * an answer, or {@code {"failed": "reset", "why": "..."}}.
 */
final class Ask {

  /** What may be sent in place of the request. */
  private static final Map<String, Instead> INSTEAD =
      Map.of(
          "class-not-allowed",
              (caller, method, given) ->
                  caller.callAnyhow(
                      method, all(given, new HashMap<>(Map.of("a", "b"))), MethodNumber.of(method)),
          "class-not-due",
              (caller, method, given) ->
                  caller.callAnyhow(method, all(given, "a text"), MethodNumber.of(method)),
          "unknown-method", (caller, method, given) -> caller.callAnyhow(method, given, 42),
          "unknown-object", Caller::callNobody);

  private final Contract contract;
  private final InetSocketAddress address;
  private final long timeoutNs;
  private final Line line;
  private final Map<String, Caller> callers = new HashMap<>();

  private Ask(Contract contract, InetSocketAddress address, long timeoutNs, boolean once) {
    this.contract = contract;
    this.address = address;
    this.timeoutNs = timeoutNs;
    this.line = new Line(address, timeoutNs, once);
  }

  record Question(String path, String body, String instead) {}

  private interface Instead {
    Object send(Caller caller, Method method, Object[] given) throws Throwable;
  }

  /** Answers lines until there are no more. */
  static void answerAll(Map<String, String> options, PrintStream out) throws Refusal, IOException {
    var contract =
        new Contract(
            new Job.Rmi(options.get("interface"), List.of(options.get("classes").split(":"))));
    Filter.set(List.of(contract));
    Thread.currentThread().setContextClassLoader(contract.loader());
    var address = new InetSocketAddress(options.get("host"), Integer.parseInt(options.get("port")));
    long timeoutNs = Math.round(Double.parseDouble(options.get("seconds")) * 1e9);
    Caller.keepTo(Set.of(address), timeoutNs);
    var ask = new Ask(contract, address, timeoutNs, options.containsKey("once"));
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (var watch = Executors.newSingleThreadScheduledExecutor()) {
      watch.scheduleAtFixedRate(
          () -> ask.line.giveUp(System.nanoTime(), false), 50, 50, TimeUnit.MILLISECONDS);
      for (String asked = in.readLine(); asked != null; asked = in.readLine()) {
        out.println(Json.line(ask.answer(asked)));
        out.flush();
      }
      watch.shutdownNow();
    }
  }

  private Map<String, Object> answer(String asked) {
    try {
      Question question = Json.OF_THE_LAB.readValue(asked, Question.class);
      Method method = contract.method(question.path());
      Object[] arguments = Contract.arguments(method, question.body());
      Caller caller =
          callers.computeIfAbsent(
              Contract.name(question.path()), name -> new Caller(contract, address, name, line));
      return called(caller, method, arguments, question.instead());
    } catch (JsonProcessingException e) {
      return said("failed", "unsayable", "why", "the line is not JSON: " + Json.words(e));
    } catch (Refusal e) {
      return said("failed", "unsayable", "why", e.getMessage());
    }
  }

  private Map<String, Object> called(
      Caller caller, Method method, Object[] arguments, String instead) throws Refusal {
    Instead other = instead == null ? Caller::call : INSTEAD.get(instead);
    if (other == null) {
      throw new Refusal("nothing is known that is called '" + instead + "'");
    }
    line.begin(System.nanoTime() + timeoutNs);
    try {
      Object answer = other.send(caller, method, arguments);
      line.ended();
      return said(
          "status", 200, "body", new String(Contract.written(answer), StandardCharsets.UTF_8));
    } catch (Throwable thrown) {
      boolean late = line.ended() == Line.End.TIMEOUT;
      Failure failure = late ? Failure.TIMEOUT : Failure.of(thrown, line.answerBegun());
      String why = words(thrown);
      if (failure != Failure.FAULT) {
        line.broken();
      }
      return failure == Failure.FAULT
          ? said("status", 500, "body", why)
          : said("failed", failure.column(), "why", why);
    }
  }

  private static Map<String, Object> said(String first, Object its, String second, Object itsOwn) {
    var said = new LinkedHashMap<String, Object>();
    said.put(first, its);
    said.put(second, itsOwn);
    return said;
  }

  /** An exception with what caused it, on one line. */
  static String words(Throwable thrown) {
    String own = thrown.toString().replaceAll("\\s+", " ");
    Throwable cause = thrown.getCause();
    String deeper = cause == null ? "" : words(cause);
    return own.contains(deeper) ? own : own + ": " + deeper;
  }

  /** As many of the same as there are arguments, which must be objects then. */
  private static Object[] all(Object[] given, Object instead) {
    var sent = new Object[given.length];
    java.util.Arrays.fill(sent, instead);
    return sent;
  }
}

package steelyard.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import steelyard.monitor.Records;
import steelyard.monitor.Records.Request;

/** A server that knows nothing of a monitor, in a process of its own with the agent's jar. */
@Timeout(600)
class AgentTest {

  private static final int LEFT_THREAD = 4;
  private static final int PARALLEL = 64; // as many counts as /pages/parallel makes
  private static final String MAIN = "example.shop.ShopServer";

  @TempDir static Path folder;

  private static final List<String> said = new ArrayList<>();
  private static List<Request> requests;
  private static String counts;

  /** One start for all tests; the requests come in this order. */
  @BeforeAll
  static void serve() throws Exception {
    Path settings = folder.resolve("agent.properties");
    Files.writeString(settings, "si = example.shop.Orders\nexclude = org.h2.tools.*\n");
    Path records = folder.resolve("records");
    Process server = start("records=" + records + ",settings=" + settings, MAIN);
    try (BufferedReader output = server.inputReader()) {
      ask("http://127.0.0.1:" + port(output));
      server.getOutputStream().close();
      output.lines().forEach(said::add);
    }
    assertThat(server.waitFor()).as("what it said: %s", said).isZero();
    requests =
        Records.in(records).stream().sorted(Comparator.comparingLong(Request::begin)).toList();
    counts = countsIn(records);
  }

  /** Which the server says once it is there. */
  private static String port(BufferedReader output) throws IOException {
    String line = output.readLine();
    while (line != null && !line.startsWith("port ")) {
      said.add(line);
      line = output.readLine();
    }
    assertThat(line).as("what it said: %s", said).isNotNull();
    return line.substring("port ".length());
  }

  /** What the agent said at the end of the process. */
  private static String countsIn(Path records) throws IOException {
    try (Stream<Path> files = Files.list(records)) {
      Path file = files.filter(each -> each.toString().endsWith("-agent.json")).findAny().get();
      return Files.readString(file);
    }
  }

  /** How often a layer was entered outside of any request. */
  private static int outside(String told, String layer) {
    Matcher found = Pattern.compile("\"outside\":\\{.*\"" + layer + "\":(\\d+)").matcher(told);
    return found.find() ? Integer.parseInt(found.group(1)) : 0;
  }

  private static void ask(String address) throws Exception {
    assertThat(soap(address, "apple").body()).contains("apple");
    assertThat(soap(address, "").statusCode()).isEqualTo(500);
    assertThat(get(address + "/pages/count").body()).isEqualTo("1");
    assertThat(get(address + "/pages/stocked").body()).isEqualTo("1");
    assertThat(get(address + "/pages/forked").statusCode()).isEqualTo(200);
    assertThat(get(address + "/pages/later").statusCode()).isEqualTo(200);
    assertThat(get(address + "/pages/nowhere").statusCode()).isEqualTo(404);
    assertThat(get(address + "/pages/parallel").statusCode()).isEqualTo(200);
  }

  @Test
  void eachRequestHasOneRecordWhoseLayersSumUpToIt() {
    assertThat(requests).hasSize(8);
    assertThat(requests)
        .allSatisfy(
            each -> assertThat(each.selfSum()).isEqualTo(each.layers().get("filter").total()));
    assertThat(requests)
        .extracting(Request::violations)
        .containsExactly(0, 0, 0, 0, 0, LEFT_THREAD, 0, 0);
  }

  @Test
  void theLayersOfAWebServiceNestFromTheWebToTheDatabase() {
    Request ordered = requests.get(0);
    assertThat(ordered.layers()).containsOnlyKeys("filter", "soap", "ws", "si", "writes");
    List<Long> totals = new ArrayList<>();
    for (String layer : List.of("filter", "soap", "ws", "si", "writes")) {
      totals.add(ordered.layers().get(layer).total());
      assertThat(ordered.layers().get(layer).entries()).as(layer).isEqualTo(1);
    }
    assertThat(totals).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
    assertThat(ordered.contexts())
        .containsEntry("filter_method", "POST")
        .containsEntry("ws_name", "order")
        .containsEntry("si_name", "place")
        .doesNotContainKey("ws_fault");
  }

  @Test
  void aFaultThatTheServiceDeclaresIsToldFromOneThatItDoesNot() {
    assertThat(requests.get(1).contexts()).containsEntry("ws_fault", "application");
    assertThat(requests.get(1).layers()).containsOnlyKeys("filter", "soap", "ws");
  }

  @Test
  void aPreparedStatementThatAsksIsAReadHoweverItIsExecuted() {
    assertThat(requests.get(2).layers()).containsOnlyKeys("filter", "si", "reads");
  }

  @Test
  void whatHibernateAsksOfTheDatabaseIsWithinIt() {
    var layers = requests.get(3).layers();
    assertThat(layers).containsOnlyKeys("filter", "hibernate", "reads", "writes");
    long database = layers.get("reads").total() + layers.get("writes").total();
    assertThat(layers.get("hibernate").total())
        .isEqualTo(layers.get("hibernate").self() + database);
  }

  @Test
  void whatAForkedThreadDoesIsCountedAndInNoRecord() {
    assertThat(requests.get(4).layers()).containsOnlyKeys("filter");
    assertThat(outside(counts, "si")).isPositive();
  }

  /** The request's own thread does a part of it, others the rest: nothing is lost or told twice. */
  @Test
  void whatManyThreadsDoForARequestIsInItsRecordWhereItsOwnThreadDidIt() {
    var service = requests.get(7).layers().get("si");
    int own = service == null ? 0 : service.entries();
    int forked = 1;
    assertThat(own + outside(counts, "si")).isEqualTo(PARALLEL + forked);
  }

  @Test
  void reactiveCodeIsAnsweredCountedAndInNoRecord() throws Exception {
    Path records = folder.resolve("reactive");
    Process server =
        start("records=" + records + ",si=example.shop.Orders", "example.shop.ReactiveServer");
    try (BufferedReader output = server.inputReader()) {
      String address = "http://127.0.0.1:" + port(output);
      for (int i = 0; i < 5; i++) {
        assertThat(get(address + "/order/apple").body()).isEqualTo("apple");
      }
      server.getOutputStream().close();
      output.lines().forEach(said::add);
    }
    assertThat(server.waitFor()).isZero();
    assertThat(Records.in(records)).isEmpty();
    String told = countsIn(records);
    assertThat(outside(told, "si")).isEqualTo(5);
    assertThat(outside(told, "writes")).isPositive();
    assertThat(told).contains("\"failed\":0");
  }

  @Test
  void noClassFailedAndTheServersLogManagerCameInTime() {
    assertThat(counts).contains("\"failed\":0,\"failures\":[],\"unseen\":0");
    assertThat(said).contains("logging in time").noneMatch(line -> line.contains("agent:"));
  }

  @Test
  void settingsThatMakeNoSenseKeepNothingFromStarting() throws Exception {
    Process process = start("nonsense=1", "example.shop.Greeting");
    process.getOutputStream().close();
    List<String> lines;
    try (BufferedReader output = process.inputReader()) {
      lines = output.lines().toList();
    }
    assertThat(process.waitFor()).isZero();
    assertThat(lines).contains("good day");
    assertThat(lines)
        .anyMatch(line -> line.contains("nothing is watched: there is no setting 'nonsense'"));
  }

  /** A process with the agent, of classes of which none is the agent's or the monitor's. */
  private static Process start(String argument, String main) throws IOException {
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String known =
        Arrays.stream(classes.split(java.io.File.pathSeparator))
            .filter(each -> !each.endsWith("target/classes") && !each.contains("steelyard-monitor"))
            .collect(Collectors.joining(java.io.File.pathSeparator));
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-javaagent:" + System.getProperty("agent.jar") + "=" + argument,
            "-Djava.util.logging.manager=example.shop.OwnLogManager",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            known,
            main,
            folder.resolve("base").toString());
    builder.environment().remove("STEELYARD_RECORDS");
    return builder.redirectErrorStream(true).start();
  }

  private static HttpResponse<String> get(String address) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(address)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> soap(String address, String item) throws Exception {
    String body =
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><order xmlns='urn:shop'>"
            + "<item xmlns=''>"
            + item
            + "</item></order></e:Body></e:Envelope>";
    HttpRequest asked =
        HttpRequest.newBuilder(URI.create(address + "/shop"))
            .header("Content-Type", "text/xml")
            .header("SOAPAction", "\"\"")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(asked, HttpResponse.BodyHandlers.ofString());
  }
}

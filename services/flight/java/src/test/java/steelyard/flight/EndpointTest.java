package steelyard.flight;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.xml.ws.Endpoint;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import steelyard.flight.ws.FlightEndpoint;
import steelyard.monitor.Monitor;

/** Messages in, messages out, with the monitor on, over HTTP and on a real database. */
class EndpointTest {

  private static final String URL = "jdbc:h2:mem:endpoint;DB_CLOSE_DELAY=-1";
  private static final String PASSENGER =
      "<passenger><firstName>Ada</firstName><lastName>Moreira</lastName><birthDate>1975-02-28</birthDate>"
          + "<nationality>PT</nationality><passport>P1</passport><passportExpires>2015-01-01</passportExpires>"
          + "<email>a@post.example</email><phone>1</phone><street>S</street><city>C</city><bags>1</bags></passenger>";

  @TempDir static Path records;

  private static Application application;
  private static Endpoint endpoint;
  private static URI address;
  private static String[] flight; // number, origin, destination

  @BeforeAll
  static void publish() throws Exception {
    var generator =
        new ProcessBuilder(
                "python3", "../contract/domain_data.py", "--set", "flights=60", "--set", "days=1")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    var state = new String(generator.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try (var database = DriverManager.getConnection(URL, "steelyard", "");
        var statement = database.createStatement()) {
      statement.execute(state);
      try (var rows =
          statement.executeQuery(
              "SELECT number, o.code, d.code FROM flight f JOIN airport o ON o.id = origin_id JOIN airport d ON d.id = destination_id"
                  + " JOIN flight_instance i ON i.flight_id = f.id WHERE taken = 0 ORDER BY f.id LIMIT 1")) {
        rows.next();
        flight = new String[] {rows.getString(1), rows.getString(2), rows.getString(3)};
      }
    }
    Monitor.start(records);
    application = new Application(new Settings(Database.H2, URL, "", true, "off"));
    Application.share(application);
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    address = URI.create("http://127.0.0.1:" + port + "/flight/Flight");
    endpoint = Endpoint.publish(address.toString(), new FlightEndpoint());
  }

  @AfterAll
  static void end() {
    endpoint.stop();
    Application.share(null);
    application.close();
    Monitor.stop();
  }

  @Test
  void aSearchAnswersWithTheFlightsAndTheReference() throws Exception {
    var answer =
        ask(
            "searchFlights",
            "<origin>%s</origin><destination>%s</destination>".formatted(flight[1], flight[2])
                + "<date>2011-05-02</date>");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains(
            "<reference>mine</reference>", "<number>" + flight[0] + "</number>", "currency=\"EUR\"")
        .containsPattern("<departure>2011-05-02T\\d\\d:\\d\\d:00Z</departure>");
  }

  @Test
  void reservationsAnswerWithACodeAndATicketForEach() throws Exception {
    String asked = "<flight>%s</flight><date>2011-05-02</date>".formatted(flight[0]);
    var single = ask("createSingleReservation", asked + PASSENGER);
    var group = ask("createMultipleReservations", asked + PASSENGER + PASSENGER);
    var cheapest =
        ask(
            "createLowPriceReservation",
            "<origin>%s</origin><destination>%s</destination><date>2011-05-02</date>"
                    .formatted(flight[1], flight[2])
                + PASSENGER);
    assertThat(Stream.of(single, group, cheapest).map(HttpResponse::body))
        .allSatisfy(
            body ->
                assertThat(body)
                    .containsPattern("<code>[A-Z0-9]{12}</code>")
                    .contains("<date>2011-05-02</date>"));
    assertThat(group.body().split("<passenger>Ada Moreira</passenger>", -1)).hasSize(3);
  }

  @Test
  void aRequestThatCannotBeFulfilledGetsAFaultWithItsReasonAndNoTrace() throws Exception {
    var answer =
        ask(
            "searchFlights",
            "<origin>QQQ</origin><destination>LIS</destination><date>2011-05-02</date>");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body())
        .contains(
            "<reason>unknown-airport</reason>", "<value>QQQ</value>", "there is no airport QQQ")
        .doesNotContain("steelyard.flight", "stackTrace", "java.");
  }

  @Test
  void whatTheSystemCannotDoIsAFaultOfOneLine() throws Exception {
    var broken =
        new Application(
            new Settings(Database.H2, "jdbc:h2:mem:endpoint;IFEXISTS=TRUE", "", false, "off"));
    broken.close();
    Application.share(broken);
    try {
      var answer =
          ask(
              "searchFlights",
              "<origin>LIS</origin><destination>OPO</destination><date>2011-05-02</date>");
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body())
          .contains("faultstring")
          .doesNotContain("flightFault", "stackTrace", "\tat ");
    } finally {
      Application.share(application);
    }
  }

  @Test
  void eachLayerIsRecorded() throws Exception {
    Path folder = Files.createDirectories(records.resolve("own"));
    Monitor.start(folder);
    ask(
        "createSingleReservation",
        "<flight>%s</flight><date>2011-05-02</date>".formatted(flight[0]) + PASSENGER);
    Monitor.stop();
    var recorded = new StringBuilder();
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        recorded.append(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
      }
    }
    assertThat(recorded)
        .contains(
            "soap",
            "ws",
            "si",
            "hibernate",
            "reads",
            "writes",
            "createSingleReservation",
            "CreateReservation")
        .contains("\"records\":1,\"lost\":0,\"violations\":0");
  }

  private static HttpResponse<String> ask(String operation, String content) throws Exception {
    String body =
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><%1$s xmlns=\"urn:steelyard:flight\">"
                .formatted(operation)
            + "<reference>mine</reference>%s</%s></s:Body></s:Envelope>"
                .formatted(content, operation);
    var request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "text/xml; charset=utf-8")
            .header("SOAPAction", "\"\"")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }
}

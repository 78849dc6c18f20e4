package steelyard.shop.vertx;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import steelyard.shop.Counts;
import steelyard.shop.Settings;

/** The shop on a real server, with a database that nothing listens for. */
class ShopTest {

  private static final Path CONTRACT = Path.of("..", "contract");
  private static final int NOBODY = 1;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Counts counts = new Counts();
  private Vertx vertx;
  private int port;

  @BeforeAll
  static void strictly() {
    StrictJson.set();
  }

  @BeforeEach
  void start() throws Exception {
    vertx = Vertx.vertx();
    Settings settings = new Settings("127.0.0.1", NOBODY, "", 1, true, "read-committed");
    Pool pool = Database.pool(vertx, settings, 1);
    Shop shop =
        new Shop(new StoredItems(pool), new StoredOrders(pool), new RequestBodies(), counts);
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(shop.router(vertx))
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get();
    port = server.actualPort();
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "items/0",
        "items/-1",
        "items/one",
        "items/9223372036854775808",
        "items",
        "items?ids=",
        "items?ids=1,,2",
        "items?ids=1,two",
        "search",
        "search?q=",
        "search?q=%00",
        "orders/x"
      })
  void whatNamesNoItemOrOrderIsNotValid(String path) throws Exception {
    assertNotValid(send(path, "GET", null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "{\"customer\": \"c\", \"lines\": []}",
        "{\"customer\": \"\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": \"\\u0000\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": 1, \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": true, \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1.5}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": \"1\"}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": \"\"}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": true}]}",
        "{\"customer\": \"c\", \"lines\": [null]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1}]} {}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1}, {\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": \"\u00ff\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}"
      })
  void anOrderThatIsNotValidIsRefusedBeforeTheDatabase(String body) throws Exception {
    assertNotValid(send("orders", "POST", body.getBytes(ISO_8859_1)));
  }

  @Test
  void everyBadRequestOfTheContractIsNotValid() throws Exception {
    List<Path> files;
    try (var listed = Files.list(CONTRACT.resolve("bad"))) {
      files = listed.toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      assertNotValid(send("echo", "POST", Files.readAllBytes(file)));
    }
  }

  @Test
  void aMessageComesBack() throws Exception {
    String message =
        """
        {"reference":"r","customer":{"name":"n","email":"a@b",\
        "address":{"street":"s","city":"c","postalCode":"p","country":"CH"}},\
        "lines":[{"sku":"s","quantity":1,"priceCents":0,"tags":[]}],\
        "gift":false,"discountPercent":0.5,"note":""}""";
    HttpResponse<String> answer = send("echo", "POST", message.getBytes(ISO_8859_1));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(message);
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
  }

  @Test
  void anotherMediaTypeIsRefused() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri("echo"))
            .header("Content-Type", "text/xml")
            .POST(BodyPublishers.ofString("{}"))
            .build();
    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(415);
  }

  @ParameterizedTest
  @CsvSource({"0.5, 200", "NaN, 400", "1000000.5, 400", "a while, 400"})
  void theBusyHeaderIsObeyedOrRefused(String micros, int status) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri("static")).header("Steelyard-Busy-Us", micros).build();
    assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(status);
  }

  @Test
  void requestsAreCountedAndQuestionsForTheCountAreNot() throws Exception {
    send("static", "GET", null);
    send("items/0", "GET", null);
    send("accepted", "GET", null);
    assertThat(send("count", "GET", null).body()).isEqualTo("2");
    assertThat(send("accepted", "GET", null).body()).isEqualTo("0");
  }

  @Test
  void whatIsNoOperationIsNotFound() throws Exception {
    HttpResponse<String> answer = send("nothing", "GET", null);
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).isEqualTo("{\"error\":\"not found\"}");
  }

  @Test
  void aDatabaseThatCannotBeReachedIsNoRefusal() throws Exception {
    assertThat(send("items/1", "GET", null).statusCode()).isEqualTo(500);
  }

  private void assertNotValid(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).isEqualTo("{\"error\":\"not valid\"}");
  }

  private HttpResponse<String> send(String path, String method, byte[] body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "application/json")
            .method(
                method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body))
            .build();
    return client.send(request, BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + "/shop/" + path);
  }
}

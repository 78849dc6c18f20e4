package steelyard.shop.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micronaut.runtime.server.EmbeddedServer;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The shop over HTTP, without a database. */
@MicronautTest(transactional = false)
class ShopTest {

  private static final Path CONTRACT = Path.of("../contract");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @Inject EmbeddedServer server;

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(server.getURL() + path));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return CLIENT.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(request(path));
  }

  private HttpResponse<String> post(String path, byte[] body)
      throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body)));
  }

  private HttpResponse<String> post(String path, String body)
      throws IOException, InterruptedException {
    return post(path, body.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertNotValid(HttpResponse<String> answer) throws IOException {
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(JSON.readTree(answer.body())).isEqualTo(JSON.readTree("{\"error\": \"not valid\"}"));
  }

  private static JsonNode typical() throws IOException {
    Path file = CONTRACT.resolve("exchanges/echo/typical.exchange.json");
    return JSON.readTree(JSON.readTree(file.toFile()).get("request").asText());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop/items/0",
        "/shop/items/-1",
        "/shop/items/one",
        "/shop/items/9223372036854775808",
        "/shop/items",
        "/shop/items?ids=",
        "/shop/items?ids=1,,2",
        "/shop/items?ids=1,two",
        "/shop/search",
        "/shop/search?q=",
        "/shop/search?q=%00",
        "/shop/orders/x"
      })
  void whatIsNotValidIsRefusedBeforeTheDatabase(String path) throws Exception {
    assertNotValid(get(path));
  }

  static Stream<Path> badRequests() throws IOException {
    try (Stream<Path> files = Files.list(CONTRACT.resolve("bad"))) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("badRequests")
  void everyBadRequestOfTheContractIsRefused(Path file) throws Exception {
    assertNotValid(post("/shop/echo", Files.readAllBytes(file)));
  }

  static Stream<Path> echoes() throws IOException {
    try (Stream<Path> files = Files.list(CONTRACT.resolve("exchanges/echo"))) {
      return files.sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("echoes")
  void everyEchoOfTheContractIsAnsweredAsItSays(Path file) throws Exception {
    JsonNode exchange = JSON.readTree(file.toFile());
    HttpResponse<String> answer = post("/shop/echo", exchange.get("request").asText());
    assertThat(answer.statusCode()).isEqualTo(exchange.path("status").asInt(200));
    assertThat(JSON.readTree(answer.body()))
        .isEqualTo(JSON.readTree(exchange.get("answer").asText()));
  }

  static List<String> wrongTypes() {
    return List.of(
        "\"reference\": 5",
        "\"reference\": true",
        "\"reference\": 1.5",
        "\"reference\": [\"r\"]",
        "\"reference\": \"\\u0000\"",
        "\"gift\": 1",
        "\"gift\": \"true\"",
        "\"discountPercent\": \"5\"",
        "\"discountPercent\": true",
        "\"discountPercent\": 1e999",
        "\"customer\": 5",
        "\"customer\": true",
        "\"customer\": \"\"",
        "\"customer\": []",
        "\"lines\": {}",
        "\"lines\": {\"sku\": \"s\", \"quantity\": 1, \"priceCents\": 1, \"tags\": []}",
        "\"lines\": [[{\"sku\": \"s\", \"quantity\": 1, \"priceCents\": 1, \"tags\": []}]]",
        "\"lines\": [{\"sku\": \"s\", \"quantity\": [1], \"priceCents\": 1, \"tags\": []}]",
        "\"lines\": [null]",
        "\"lines\": [{\"sku\": \"s\", \"quantity\": 1.0, \"priceCents\": 1, \"tags\": []}]",
        "\"lines\": [{\"sku\": \"s\", \"quantity\": \"1\", \"priceCents\": 1, \"tags\": []}]",
        "\"lines\": [{\"sku\": \"s\", \"quantity\": 1, \"priceCents\": 1, \"tags\": [null]}]",
        "\"lines\": [{\"sku\": \"s\", \"quantity\": 1, \"priceCents\": 1, \"tags\": [1]}]");
  }

  @ParameterizedTest
  @MethodSource("wrongTypes")
  void aValueOfAnotherTypeIsNotValid(String pair) throws Exception {
    // The last of two equal keys counts.
    String message = typical().toString();
    assertNotValid(
        post("/shop/echo", message.substring(0, message.length() - 1) + ", " + pair + "}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1}, {\"item\": 1, \"quantity\": 2}]}",
        "{\"customer\": \"\\u0000\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1.5}]}",
        "{\"customer\": \"c\", \"lines\": []}",
        "{\"customer\": \"c\"}"
      })
  void anOrderThatIsNotValidIsRefusedBeforeTheDatabase(String order) throws Exception {
    assertNotValid(post("/shop/orders", order));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "null", "5", "true", "\"text\"", "[]", "{", "this is not JSON", "{} {}"})
  void whatIsNoJsonObjectIsRefused(String body) throws Exception {
    assertThat(post("/shop/echo", body).statusCode()).isBetween(400, 499);
  }

  @Test
  void anotherMediaTypeIsRefused() throws Exception {
    HttpRequest.Builder request =
        request("/shop/echo")
            .header("Content-Type", "text/plain")
            .POST(BodyPublishers.ofString(typical().toString()));
    assertThat(send(request).statusCode()).isEqualTo(415);
  }

  @Test
  void whatDoesNotReachTheDatabaseFails() throws Exception {
    HttpResponse<String> answer = get("/shop/items/1");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("failed");
  }

  @Test
  void requestsAreCountedAndQuestionsForTheCountAreNot() throws Exception {
    long before = Long.parseLong(get("/shop/count").body());
    get("/shop/static");
    get("/shop/items/0");
    assertThat(get("/shop/accepted").body()).isEqualTo("0");
    assertThat(get("/shop/count").body()).isEqualTo(Long.toString(before + 2));
  }

  @Test
  void theBusyHeaderTakesANumberAndNothingElse() throws Exception {
    assertThat(send(request("/shop/static").header("Steelyard-Busy-Us", "1000.5")).statusCode())
        .isEqualTo(200);
    assertNotValid(send(request("/shop/static").header("Steelyard-Busy-Us", "much")));
    assertNotValid(send(request("/shop/static").header("Steelyard-Busy-Us", "1000001")));
  }
}

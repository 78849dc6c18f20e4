package steelyard.shop.jersey;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.glassfish.jersey.internal.MapPropertiesDelegate;
import org.glassfish.jersey.server.ApplicationHandler;
import org.glassfish.jersey.server.ContainerRequest;
import org.glassfish.jersey.server.ContainerResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The shop in Jersey and Hibernate, without a servlet container, on H2 with the two items below.
 */
class ShopTest {

  private static final String NOT_VALID = "{\"error\":\"not valid\"}";
  private static final URI BASE = URI.create("http://shop.test/shop/");

  private static Database database;
  private static ApplicationHandler shop;

  private record Answer(int status, String body, String location) {}

  @BeforeAll
  static void start() {
    HikariConfig connections = new HikariConfig();
    connections.setJdbcUrl("jdbc:h2:mem:;INIT=RUNSCRIPT FROM 'classpath:shop.sql'");
    connections.setMaximumPoolSize(1); // another connection would have another database
    database = Database.connect(connections, Map.of());
    shop = new ApplicationHandler(new ShopApplication(database));
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  private Answer get(String path) throws Exception {
    return ask("GET", path, new byte[0], null);
  }

  private Answer post(String path, String body) throws Exception {
    return ask("POST", path, body.getBytes(StandardCharsets.UTF_8), null);
  }

  private Answer ask(String method, String path, byte[] body, String busyMicros) throws Exception {
    ContainerRequest request =
        new ContainerRequest(
            BASE, BASE.resolve(path), method, null, new MapPropertiesDelegate(), null);
    request.header("Content-Type", "application/json");
    if (busyMicros != null) {
      request.header("Steelyard-Busy-Us", busyMicros);
    }
    request.setEntityStream(new ByteArrayInputStream(body));
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    ContainerResponse response = shop.apply(request, written).get();
    return new Answer(
        response.getStatus(),
        written.toString(StandardCharsets.UTF_8),
        response.getHeaderString("Location"));
  }

  @Test
  void anItemIsOneRow() throws Exception {
    assertThat(get("items/1").body())
        .isEqualTo(
            "{\"description\":\"d\",\"id\":1,\"keyword\":\"k\",\"name\":\"one\",\"priceCents\":100}");
    assertThat(get("items/9")).isEqualTo(new Answer(404, "{\"error\":\"not found\"}", null));
  }

  @Test
  void itemsAreOrderedByIdAndFoundOnesByPrice() throws Exception {
    assertThat(get("items?ids=3,2,9,1").body())
        .containsSubsequence("\"id\":1", "\"id\":2", "\"id\":3")
        .doesNotContain("\"id\":9");
    assertThat(get("search?q=k").body()).containsSubsequence("\"id\":2", "\"id\":1");
    assertThat(get("search?q=%27")).isEqualTo(new Answer(200, "{\"items\":[]}", null));
  }

  @Test
  void anOrderIsKeptWithItsLinesByItemAndTakesFromTheStock() throws Exception {
    Answer placed =
        post(
            "orders",
            "{\"customer\": \"Zoë\", \"lines\": [{\"item\": 2, \"quantity\": 1}, {\"item\": 1, \"quantity\": 3}]}");
    String lines =
        "\"lines\":[{\"item\":1,\"name\":\"one\",\"priceCents\":100,\"quantity\":3},"
            + "{\"item\":2,\"name\":\"two\",\"priceCents\":50,\"quantity\":1}],\"totalCents\":350}";
    assertThat(placed.body()).isEqualTo("{\"customer\":\"Zoë\"," + lines);
    assertThat(placed.status()).isEqualTo(201);
    String id = placed.location().substring(placed.location().lastIndexOf('/') + 1);
    assertThat(placed.location()).isEqualTo("http://shop.test/shop/orders/" + id);
    assertThat(get("orders/" + id))
        .isEqualTo(new Answer(200, "{\"customer\":\"Zoë\",\"id\":" + id + "," + lines, null));
    assertThat(post("orders", "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 3}]}"))
        .isEqualTo(new Answer(409, "{\"error\":\"out of stock\"}", null));
  }

  @Test
  void nothingIsKeptOfAnOrderOfWhichOneItemIsOutOfStock() throws Exception {
    Answer refused =
        post(
            "orders",
            "{\"customer\": \"c\", \"lines\": [{\"item\": 4, \"quantity\": 5}, {\"item\": 5, \"quantity\": 1}]}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(
            post("orders", "{\"customer\": \"c\", \"lines\": [{\"item\": 4, \"quantity\": 5}]}")
                .status())
        .isEqualTo(201);
  }

  @Test
  void requestsAndAcceptedOrdersAreCountedAndTheCountsAreNot() throws Exception {
    long requests = Long.parseLong(get("count").body());
    long accepted = Long.parseLong(get("accepted").body());
    post("orders", "{\"customer\": \"c\", \"lines\": [{\"item\": 3, \"quantity\": 1}]}");
    post("orders", "{\"customer\": \"c\", \"lines\": [{\"item\": 5, \"quantity\": 1}]}");
    assertThat(get("count").body()).isEqualTo(Long.toString(requests + 2));
    assertThat(get("accepted").body()).isEqualTo(Long.toString(accepted + 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET  | items/0 |",
        "GET  | items/-1 |",
        "GET  | items/9223372036854775808 |",
        "GET  | items?ids= |",
        "GET  | items |",
        "GET  | items?ids=1,,2 |",
        "GET  | search |",
        "GET  | search?q= |",
        "GET  | search?q=%00 |",
        "GET  | orders/x |",
        "POST | orders | {}",
        "POST | orders | null",
        "POST | orders | not JSON",
        "POST | orders | {\"customer\": \"c\", \"lines\": []}",
        "POST | orders | {\"customer\": \"c\", \"lines\": [null]}",
        "POST | orders | {\"customer\": 1, \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "POST | orders | {\"customer\": \"c\", \"lines\": [{\"item\": \"1\", \"quantity\": 1}]}",
        "POST | orders | {\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1.5}]}",
        "POST | orders | {\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1}, {\"item\": 1, \"quantity\": 1}]}",
        "POST | orders | {\"customer\": \"\\u0000\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
      })
  void aRequestThatIsNotValidIsRefused(String method, String path, String body) throws Exception {
    byte[] bytes = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
    assertThat(ask(method, path, bytes, null)).isEqualTo(new Answer(400, NOT_VALID, null));
  }

  @Test
  void everyBadRequestOfTheContractIsRefused() throws Exception {
    int found = 0;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of("../contract/bad"), "*.request.json")) {
      for (Path file : files) {
        assertThat(ask("POST", "echo", Files.readAllBytes(file), null).status())
            .as(file.toString())
            .isEqualTo(400);
        found++;
      }
    }
    assertThat(found).isPositive();
  }

  @Test
  void bytesThatAreNoUtf8AreRefused() throws Exception {
    byte[] body = "{\"reference\": \"é\"}".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(ask("POST", "echo", body, null)).isEqualTo(new Answer(400, NOT_VALID, null));
  }

  @Test
  void aServerIsBusyForAsLongAsTheHeaderSaysAndASecondAtMost() throws Exception {
    byte[] none = new byte[0];
    long begin = System.nanoTime();
    assertThat(ask("GET", "static", none, "20000.5").status()).isEqualTo(200);
    assertThat(System.nanoTime() - begin).isGreaterThan(20_000_000);
    assertThat(ask("GET", "static", none, "1000000.5").status()).isEqualTo(400);
    assertThat(ask("GET", "static", none, "NaN").status()).isEqualTo(400);
  }
}

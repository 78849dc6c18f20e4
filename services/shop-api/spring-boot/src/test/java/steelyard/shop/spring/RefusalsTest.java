package steelyard.shop.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import steelyard.shop.Item;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.spring.items.Catalogue;
import steelyard.shop.spring.orders.Orders;

/** What is not valid never reaches the database: there is none here. */
@WebMvcTest
@Import({JsonConfiguration.class, RefusalsTest.NoDatabase.class})
class RefusalsTest {

  private static final String NOT_VALID = "{\"error\":\"not valid\"}";

  @Autowired private MockMvcTester shop;

  @TestConfiguration
  static class NoDatabase {

    @Bean
    Catalogue catalogue() {
      return new Catalogue() {
        @Override
        public Optional<Item> find(long id) {
          throw new AssertionError("the database was asked");
        }

        @Override
        public List<Item> findAll(List<Long> ids) {
          throw new AssertionError("the database was asked");
        }

        @Override
        public List<Item> findCheapest(String keyword) {
          throw new AssertionError("the database was asked");
        }
      };
    }

    @Bean
    Orders orders() {
      return new Orders() {
        @Override
        public Accepted place(OrderRequest request) {
          throw new AssertionError("the database was asked");
        }

        @Override
        public Optional<Order> find(long id) {
          throw new AssertionError("the database was asked");
        }
      };
    }
  }

  private MvcTestResult post(String path, byte[] body) {
    return shop.post().uri(path).contentType(MediaType.APPLICATION_JSON).content(body).exchange();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop/items/0",
        "/shop/items/-1",
        "/shop/items/0x10",
        "/shop/items/9223372036854775808",
        "/shop/items",
        "/shop/items?ids=",
        "/shop/items?ids=1,,2",
        "/shop/search",
        "/shop/search?q=",
        "/shop/orders/x"
      })
  void aPathOrQueryThatIsNotValidIsRefused(String path) {
    assertThat(shop.get().uri(path)).hasStatus(400).hasBodyTextEqualTo(NOT_VALID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"customer\": \"\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": \"\\u0000\", \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": 1, \"lines\": [{\"item\": 1, \"quantity\": 1}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1.5}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1.0}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": \"1\"}]}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1}]}",
        "{\"customer\": \"c\", \"lines\": [null]}",
        "{\"customer\": \"c\"}",
        "{\"customer\": \"c\", \"lines\": [{\"item\": 1, \"quantity\": 1}]} {}",
        "null",
        ""
      })
  void anOrderThatIsNotValidIsRefused(String body) {
    assertThat(post("/shop/orders", body.getBytes(StandardCharsets.UTF_8)))
        .hasStatus(400)
        .hasBodyTextEqualTo(NOT_VALID);
  }

  static Stream<Path> badRequestsOfTheContract() throws IOException {
    return Files.list(Path.of("../contract/bad")).sorted();
  }

  @ParameterizedTest
  @MethodSource("badRequestsOfTheContract")
  void everyBadRequestOfTheContractIsRefused(Path file) throws IOException {
    assertThat(post("/shop/echo", Files.readAllBytes(file)))
        .hasStatus(400)
        .hasBodyTextEqualTo(NOT_VALID);
  }

  @Test
  void bytesThatAreNoTextAreRefused() {
    assertThat(post("/shop/echo", new byte[] {'{', '"', (byte) 0xff, '"', '}'}))
        .hasStatus(400)
        .hasBodyTextEqualTo(NOT_VALID);
  }

  @Test
  void whatHasNoMediaTypeIsRefused() {
    assertThat(shop.post().uri("/shop/echo").content("{}")).hasStatus(415);
  }

  @Test
  void whatIsNoPathOfTheShopIsNotFound() {
    assertThat(shop.get().uri("/shop/elsewhere"))
        .hasStatus(404)
        .hasBodyTextEqualTo("{\"error\":\"not found\"}");
  }

  @Test
  void aBusyHeaderThatIsNoNumberIsRefused() {
    assertThat(shop.get().uri("/shop/static").header("Steelyard-Busy-Us", "2000000"))
        .hasStatus(400)
        .hasBodyTextEqualTo(NOT_VALID);
  }

  @Test
  void requestsAreCountedAndCountsAreNot() {
    long before = count();

    assertThat(shop.get().uri("/shop/static"))
        .hasStatusOk()
        .hasBodyTextEqualTo("{\"service\":\"shop-api\",\"greeting\":\"hello\"}");
    assertThat(shop.get().uri("/shop/accepted")).hasStatusOk().hasBodyTextEqualTo("0");

    assertThat(count()).isEqualTo(before + 1);
  }

  private long count() {
    return Long.parseLong(text("/shop/count"));
  }

  private String text(String path) {
    var response = shop.get().uri(path).exchange().getMvcResult().getResponse();
    return new String(response.getContentAsByteArray(), StandardCharsets.UTF_8);
  }
}

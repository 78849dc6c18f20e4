package steelyard.shop.helidon;

import io.helidon.dbclient.DbClient;
import io.helidon.dbclient.DbClientException;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Status;
import io.helidon.http.media.MediaContext;
import io.helidon.http.media.jackson.JacksonSupport;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import steelyard.common.BusyWork;
import steelyard.shop.Counts;
import steelyard.shop.ErrorAnswer;
import steelyard.shop.Greeting;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** The shop: its server, routes, counts and errors. */
final class Shop {

  private static final Logger LOGGER = System.getLogger(Shop.class.getName());
  private static final HeaderName BUSY = HeaderNames.create("Steelyard-Busy-Us");
  private static final ErrorAnswer FAILED = new ErrorAnswer("failed");
  private static final long MOST_REQUEST_BYTES = 16L << 20;

  /** A connection stays open for so long without a request; as shipped, half a minute. */
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  private final DbClient database;
  private final Counts counts = new Counts();
  private final Messages messages = new Messages();

  private Shop(DbClient database) {
    this.database = database;
  }

  /** A server, not started, that answers from a database; port 0 is any free one. */
  static WebServer server(String host, int port, DbClient database) {
    Shop shop = new Shop(database);
    MediaContext json =
        MediaContext.builder()
            .mediaSupportsDiscoverServices(false)
            .addMediaSupport(JacksonSupport.create(Messages.MAPPER))
            .build();
    return WebServer.builder()
        .host(host)
        .port(port)
        .maxPayloadSize(MOST_REQUEST_BYTES)
        .idleConnectionTimeout(PATIENCE)
        .connectionOptions(options -> options.readTimeout(PATIENCE))
        .mediaContext(json)
        .routing(shop::route)
        .build();
  }

  private void route(HttpRouting.Builder routing) {
    routing
        .addFilter(this::count)
        .register("/shop/items", new ItemService(database))
        .get("/shop/search", new ItemService(database)::search)
        .register("/shop/orders", new OrderService(database, messages, counts))
        .post("/shop/echo", this::echo)
        .get("/shop/static", this::greet)
        .get(
            Counts.REQUESTS_PATH,
            (request, response) -> response.send(Long.toString(counts.requests())))
        .get(
            Counts.ACCEPTED_PATH,
            (request, response) -> response.send(Long.toString(counts.accepted())))
        .error(RefusalException.class, Shop::refuse)
        .error(DbClientException.class, Shop::fail);
  }

  /** Counts a request, and keeps it busy for as long as its header asks for. */
  private void count(FilterChain chain, RoutingRequest request, RoutingResponse response) {
    if (Counts.counts(request.path().path())) {
      counts.addRequest();
      request.headers().first(BUSY).ifPresent(Shop::stayBusy);
    }
    chain.proceed();
  }

  private static void stayBusy(String micros) {
    if (!BusyWork.spin(micros)) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
  }

  private void echo(ServerRequest request, ServerResponse response) {
    response.send(messages.read(request, steelyard.shop.Message.class));
  }

  private void greet(ServerRequest request, ServerResponse response) {
    response.send(Greeting.HELLO);
  }

  private static void refuse(
      ServerRequest request, ServerResponse response, RefusalException exception) {
    Refusal refusal = exception.refusal();
    response.status(Status.create(refusal.status())).send(refusal.answer());
  }

  private static void fail(
      ServerRequest request, ServerResponse response, DbClientException exception) {
    LOGGER.log(Level.ERROR, "the database failed", exception);
    response.status(Status.INTERNAL_SERVER_ERROR_500).send(FAILED);
  }
}

package steelyard.shop.vertx;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import steelyard.common.BusyWork;
import steelyard.shop.Counts;
import steelyard.shop.ErrorAnswer;
import steelyard.shop.Greeting;
import steelyard.shop.Message;
import steelyard.shop.OrderRequest;
import steelyard.shop.Parameters;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** The operations of the shop. */
final class Shop {

  private static final String BUSY = "Steelyard-Busy-Us";
  private static final String JSON = "application/json";

  private final StoredItems items;
  private final StoredOrders orders;
  private final RequestBodies bodies;
  private final Counts counts;

  Shop(StoredItems items, StoredOrders orders, RequestBodies bodies, Counts counts) {
    this.items = items;
    this.orders = orders;
    this.bodies = bodies;
    this.counts = counts;
  }

  Router router(Vertx vertx) {
    Router router = Router.router(vertx);
    router.get(Counts.REQUESTS_PATH).handler(context -> tell(context, counts.requests()));
    router.get(Counts.ACCEPTED_PATH).handler(context -> tell(context, counts.accepted()));
    router.route("/shop/*").handler(this::arrive).failureHandler(this::answerFailure);
    BodyHandler body = BodyHandler.create(false);
    router
        .post("/shop/echo")
        .consumes(JSON)
        .handler(body)
        .respond(context -> Future.succeededFuture(bodies.read(context, Message.class)));
    router
        .get("/shop/items/:id")
        .respond(context -> items.item(Parameters.id(context.pathParam("id"))));
    router
        .get("/shop/items")
        .respond(context -> items.items(Parameters.ids(query(context, "ids"))));
    router
        .get("/shop/search")
        .respond(context -> items.cheapest(Parameters.keyword(query(context, "q"))));
    router.post("/shop/orders").consumes(JSON).handler(body).respond(this::placeOrder);
    router
        .get("/shop/orders/:id")
        .respond(context -> orders.order(Parameters.id(context.pathParam("id"))));
    router.get("/shop/static").respond(context -> Future.succeededFuture(Greeting.HELLO));
    router.errorHandler(404, context -> answer(context, 404, Refusal.NOT_FOUND.answer()));
    return router;
  }

  private static void tell(RoutingContext context, long count) {
    context.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain");
    context.end(Long.toString(count));
  }

  /** Counts a request, and keeps it busy as long as its header asks for. */
  private void arrive(RoutingContext context) {
    counts.addRequest();
    String micros = context.request().getHeader(BUSY);
    if (micros != null && !BusyWork.spin(micros)) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    context.next();
  }

  private static String query(RoutingContext context, String name) {
    return context.queryParams().get(name);
  }

  private Future<PlacedOrder> placeOrder(RoutingContext context) {
    return orders
        .place(bodies.read(context, OrderRequest.class))
        .map(
            placed -> {
              counts.addAccepted();
              context
                  .response()
                  .setStatusCode(201)
                  .putHeader(HttpHeaders.LOCATION, "/shop/orders/" + placed.id());
              return placed.order();
            });
  }

  /** Answers what is refused, by us or by Vert.x, and reports on what went wrong. */
  private void answerFailure(RoutingContext context) {
    if (context.failure() instanceof RefusalException refused) {
      answer(context, refused.refusal().status(), refused.refusal().answer());
    } else if (context.statusCode() < 500) {
      answer(context, context.statusCode(), Refusal.NOT_VALID.answer());
    } else {
      System.err.println("shop-api: " + context.failure());
      answer(context, 500, new ErrorAnswer("failed"));
    }
  }

  private static void answer(RoutingContext context, int status, ErrorAnswer answer) {
    context.response().setStatusCode(status);
    context.json(answer);
  }
}

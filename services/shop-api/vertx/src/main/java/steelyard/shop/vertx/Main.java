package steelyard.shop.vertx;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.function.Supplier;
import steelyard.shop.Counts;
import steelyard.shop.Settings;

/** Serves the shop's REST API with Vert.x: Main PORT EVENT_LOOPS. */
public final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    int port = Integer.parseInt(arguments[0]);
    int eventLoops = Integer.parseInt(arguments[1]);
    Settings settings = Settings.fromEnvironment();
    StrictJson.set();
    RequestBodies bodies = new RequestBodies();
    Counts counts = new Counts();
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(eventLoops));
    Database.open(vertx, settings, eventLoops)
        .compose(
            pool -> {
              Supplier<ShopVerticle> instance =
                  () -> new ShopVerticle(settings.host(), port, pool, bodies, counts);
              return vertx.deployVerticle(
                  instance, new DeploymentOptions().setInstances(eventLoops));
            })
        .onFailure(
            error -> {
              System.err.println("shop-api cannot start: " + error.getMessage());
              System.exit(1);
            });
  }
}

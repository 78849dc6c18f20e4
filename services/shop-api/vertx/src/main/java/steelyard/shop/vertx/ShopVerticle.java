package steelyard.shop.vertx;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServer;
import io.vertx.sqlclient.Pool;
import steelyard.shop.Counts;

/**
 * The shop on one event loop. All instances listen on one port, and Vert.x deals connections out.
 */
final class ShopVerticle extends VerticleBase {

  private final String host;
  private final int port;
  private final Pool database;
  private final RequestBodies bodies;
  private final Counts counts;

  ShopVerticle(String host, int port, Pool database, RequestBodies bodies, Counts counts) {
    this.host = host;
    this.port = port;
    this.database = database;
    this.bodies = bodies;
    this.counts = counts;
  }

  @Override
  public Future<HttpServer> start() {
    Shop shop = new Shop(new StoredItems(database), new StoredOrders(database), bodies, counts);
    return vertx.createHttpServer().requestHandler(shop.router(vertx)).listen(port, host);
  }
}

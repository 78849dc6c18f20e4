package example.shop;

import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/**
 * The shop's orders without a servlet, on threads that no request owns. It says its port, and ends
 * when its input does.
 */
final class ReactiveServer {

  private ReactiveServer() {}

  public static void main(String[] arguments) throws Exception {
    Orders.prepare();
    Orders orders = new Orders();
    DisposableServer server =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .route(
                routes ->
                    routes.get(
                        "/order/{item}",
                        (request, response) ->
                            response.sendString(
                                Mono.fromCallable(
                                        () -> {
                                          orders.place(request.param("item"));
                                          return request.param("item");
                                        })
                                    .subscribeOn(Schedulers.boundedElastic()))))
            .bindNow();
    System.out.println("port " + server.port());
    while (System.in.read() >= 0) {}
    server.disposeNow();
    System.exit(0);
  }
}

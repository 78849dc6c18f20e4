import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;

/** Answers each request with its own bytes, in three layers: Layered PORT MODE. */
final class Layered {

  private static final int MOST_BYTES = 1_000_000;
  private static final AtomicInteger SERVED = new AtomicInteger();

  public static void main(String[] arguments) throws IOException {
    String mode = arguments[1];
    String host = System.getenv().getOrDefault("STEELYARD_HOST", "127.0.0.1");
    HttpServer server = HttpServer.create(new InetSocketAddress(host, Integer.parseInt(arguments[0])), 100);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.createContext("/layered/count", exchange -> send(exchange, Integer.toString(SERVED.get()).getBytes()));
    server.createContext("/layered/echo", exchange -> echo(exchange, mode));
    server.start();
  }

  private static void echo(HttpExchange exchange, String mode) throws IOException {
    boolean tenth = SERVED.incrementAndGet() % 10 == 0;
    if (tenth && mode.equals("forgets")) {
      send(exchange, exchange.getRequestBody().readNBytes(MOST_BYTES));
      return;
    }
    Monitor.enter(Layers.FILTER);
    try {
      String delay = exchange.getRequestHeaders().getFirst("Steelyard-Layer-Delay");
      if (delay != null) {
        String[] words = delay.split(" ");
        Monitor.delay(words[0], 1000 * Long.parseLong(words[1]));
      }
      byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES);
      Monitor.context(Layers.FILTER, "size", body.length > 1000 ? "long" : "short");
      Monitor.enter(Layers.SI);
      try {
        Monitor.enter(Layers.READS);
        Monitor.exit(Layers.READS);
      } finally {
        Monitor.exit(Layers.SI);
      }
      send(exchange, body);
    } finally {
      leave(tenth && mode.equals("changes-thread"));
    }
  }

  private static void leave(boolean elsewhere) {
    if (!elsewhere) {
      Monitor.exit(Layers.FILTER);
      return;
    }
    Thread other = new Thread(() -> Monitor.exit(Layers.FILTER));
    other.start();
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void send(HttpExchange exchange, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}

package steelyard.shop.micronaut;

import io.micronaut.core.annotation.Introspected;
import io.micronaut.runtime.Micronaut;
import java.util.Map;
import steelyard.shop.ErrorAnswer;
import steelyard.shop.Greeting;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Message;
import steelyard.shop.OrderLine;
import steelyard.shop.OrderRequest;
import steelyard.shop.PlacedOrder;
import steelyard.shop.Settings;

/** The program. The messages, which all implementations share, are introspected at compile time. */
@Introspected(
    classes = {
      ErrorAnswer.class,
      Greeting.class,
      Item.class,
      Items.class,
      Message.class,
      Message.Customer.class,
      Message.Address.class,
      Message.Line.class,
      steelyard.shop.Order.class,
      OrderLine.class,
      OrderRequest.class,
      OrderRequest.Line.class,
      PlacedOrder.class
    })
public final class Application {

  private Application() {}

  /** Serves until a signal ends it. */
  public static void main(String[] arguments) {
    Micronaut application = Micronaut.build(arguments);
    application.mainClass(Application.class);
    application.banner(false);
    application.properties(propertiesOf(Settings.fromEnvironment()));
    application.start();
  }

  private static Map<String, Object> propertiesOf(Settings settings) {
    return Map.of(
        "micronaut.server.host", settings.host(),
        "datasources.default.url", settings.jdbcUrl(),
        "datasources.default.username", Settings.USER,
        "datasources.default.password", settings.password(),
        "datasources.default.maximum-pool-size", settings.pool(),
        "datasources.default.transaction-isolation", settings.jdbcIsolation());
  }
}

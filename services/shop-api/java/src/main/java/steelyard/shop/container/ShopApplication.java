package steelyard.shop.container;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** The shop, on a server with Jakarta RESTful Web Services; it finds resources and providers. */
@ApplicationPath("/")
public class ShopApplication extends Application {}

package steelyard.shop.jersey;

import jakarta.inject.Singleton;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.ws.rs.ApplicationPath;
import org.glassfish.hk2.api.InjectionResolver;
import org.glassfish.hk2.api.TypeLiteral;
import org.glassfish.hk2.utilities.binding.AbstractBinder;
import org.glassfish.jersey.process.internal.RequestScoped;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.monitoring.ApplicationEvent;
import org.glassfish.jersey.server.monitoring.ApplicationEventListener;
import org.glassfish.jersey.server.monitoring.RequestEvent;
import org.glassfish.jersey.server.monitoring.RequestEventListener;
import steelyard.shop.Counts;
import steelyard.shop.Settings;
import steelyard.shop.jpa.Catalog;
import steelyard.shop.jpa.Orders;

/** The shop in Jersey; it connects when it is deployed. */
@ApplicationPath("/")
public final class ShopApplication extends ResourceConfig {

  public ShopApplication() {
    this(Database.connect(Settings.fromEnvironment()));
  }

  ShopApplication(Database database) {
    packages("steelyard.shop.rest");
    register(new Parts(database));
    register(new Closing(database));
  }

  /** What resources have injected. */
  private static final class Parts extends AbstractBinder {

    private final Database database;

    Parts(Database database) {
      this.database = database;
    }

    @Override
    protected void configure() {
      bind(new Counts()).to(Counts.class);
      bindAsContract(Catalog.class);
      bind(LocalOrders.class).to(Orders.class);
      bindFactory(new EntityManagers(database)).to(EntityManager.class).in(RequestScoped.class);
      bind(EntityManagerInjection.class)
          .to(new TypeLiteral<InjectionResolver<PersistenceContext>>() {})
          .in(Singleton.class);
    }
  }

  /** Closes the database when the application ends. */
  private record Closing(Database database) implements ApplicationEventListener {

    @Override
    public void onEvent(ApplicationEvent event) {
      if (event.getType() == ApplicationEvent.Type.DESTROY_FINISHED) {
        database.close();
      }
    }

    @Override
    public RequestEventListener onRequest(RequestEvent request) {
      return null;
    }
  }
}

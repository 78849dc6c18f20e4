package steelyard.shop.container;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import steelyard.shop.Counts;

/** What a Jakarta EE server injects: its entity manager, and one object of counts. */
@Singleton
public class Container {

  @Produces @PersistenceContext private EntityManager entities;

  @Produces
  @Singleton
  Counts counts() {
    return new Counts();
  }
}

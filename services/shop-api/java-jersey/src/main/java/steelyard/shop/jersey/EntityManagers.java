package steelyard.shop.jersey;

import jakarta.persistence.EntityManager;
import org.glassfish.hk2.api.Factory;

/** An entity manager for each request that needs one, closed when the request ends. */
final class EntityManagers implements Factory<EntityManager> {

  private final Database database;

  EntityManagers(Database database) {
    this.database = database;
  }

  @Override
  public EntityManager provide() {
    return database.entityManager();
  }

  @Override
  public void dispose(EntityManager entities) {
    entities.close();
  }
}

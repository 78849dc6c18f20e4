package steelyard.shop.jersey;

import jakarta.inject.Inject;
import jakarta.inject.Provider;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.glassfish.hk2.api.Injectee;
import org.glassfish.hk2.api.InjectionResolver;
import org.glassfish.hk2.api.ServiceHandle;

/** Injects the request's entity manager where a class asks a container for one. */
public final class EntityManagerInjection implements InjectionResolver<PersistenceContext> {

  @Inject Provider<EntityManager> ofRequest;

  @Override
  public Object resolve(Injectee injectee, ServiceHandle<?> root) {
    return ofRequest.get();
  }

  @Override
  public boolean isConstructorParameterIndicator() {
    return false;
  }

  @Override
  public boolean isMethodParameterIndicator() {
    return false;
  }
}

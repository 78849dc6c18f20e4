package steelyard.shop.container;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import steelyard.shop.Counts;

/** What beans have injected that is no bean itself. */
@Singleton
public class Container {

  @Produces
  @Singleton
  Counts counts() {
    return new Counts();
  }
}

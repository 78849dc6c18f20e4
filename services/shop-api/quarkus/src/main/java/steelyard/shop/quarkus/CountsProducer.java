package steelyard.shop.quarkus;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import steelyard.shop.Counts;

/** Makes the counts, whose class all implementations share, a bean. */
public class CountsProducer {

  @Produces
  @Singleton
  Counts counts() {
    return new Counts();
  }
}

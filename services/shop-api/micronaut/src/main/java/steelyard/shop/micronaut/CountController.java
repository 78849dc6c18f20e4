package steelyard.shop.micronaut;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import jakarta.inject.Singleton;
import steelyard.shop.Counts;

/** Tells what was asked and accepted since the start. */
@Controller
@Produces(MediaType.TEXT_PLAIN)
class CountController {

  private final Counts counts;

  CountController(Counts counts) {
    this.counts = counts;
  }

  @Get(Counts.REQUESTS_PATH)
  String requests() {
    return Long.toString(counts.requests());
  }

  @Get(Counts.ACCEPTED_PATH)
  String accepted() {
    return Long.toString(counts.accepted());
  }

  /** Makes the counts of the whole program. */
  @Factory
  static class CountsFactory {

    @Bean
    @Singleton
    Counts counts() {
      return new Counts();
    }
  }
}

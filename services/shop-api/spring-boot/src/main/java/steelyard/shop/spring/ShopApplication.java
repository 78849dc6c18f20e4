package steelyard.shop.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import steelyard.shop.Counts;

/** The shop's API. Its profiles, jpa and jdbc, are two ways to ask the database. */
@SpringBootApplication
public class ShopApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(ShopApplication.class, arguments);
  }

  @Bean
  Counts counts() {
    return new Counts();
  }
}

package steelyard.shop.micronaut;

import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import jakarta.validation.Valid;
import steelyard.shop.Greeting;
import steelyard.shop.Message;

/** Answers without the database, and so on the event loop. */
@Controller("/shop")
class EchoController {

  @Post("/echo")
  Message echo(@Body @Valid Message message) {
    return message;
  }

  @Get("/static")
  Greeting greet() {
    return Greeting.HELLO;
  }
}

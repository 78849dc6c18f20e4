package steelyard.shop.spring;

import jakarta.validation.Valid;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import steelyard.shop.Greeting;
import steelyard.shop.Message;

/** What needs no database. */
@RestController
@RequestMapping("/shop")
class EchoController {

  @PostMapping("/echo")
  Message echo(@Valid @RequestBody Message message) {
    return message;
  }

  @GetMapping("/static")
  Greeting greeting() {
    return Greeting.HELLO;
  }
}

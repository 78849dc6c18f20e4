package steelyard.shop.rest;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Greeting;

/** The constant answer. */
@Path("static")
public class GreetingResource {

  @GET
  @Produces(MediaType.APPLICATION_JSON)
  public Greeting greeting() {
    return Greeting.HELLO;
  }
}

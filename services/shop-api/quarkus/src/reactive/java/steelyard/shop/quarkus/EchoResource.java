package steelyard.shop.quarkus;

import io.smallrye.common.annotation.NonBlocking;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import steelyard.shop.Greeting;
import steelyard.shop.Message;

/** What needs no database, answered by the event loop. */
@Path("/shop")
@NonBlocking
@Produces(MediaType.APPLICATION_JSON)
public class EchoResource {

  @POST
  @Path("echo")
  @Consumes(MediaType.APPLICATION_JSON)
  public Message echo(@NotNull @Valid Message message) {
    return message;
  }

  @GET
  @Path("static")
  public Greeting greeting() {
    return Greeting.HELLO;
  }
}

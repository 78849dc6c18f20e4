package steelyard.wstest.rest;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import steelyard.wstest.PurchaseOrders;

/** The operations: a path each, what is echoed as the same object, an order by its address. */
@Path("/")
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public class Operations {

  private static final int MOST_ORDER_ID = 999_999_999;

  @POST
  @Path("echoVoid")
  public Messages.Nothing echoVoid(Messages.Nothing message) {
    return said(message);
  }

  @POST
  @Path("echoStruct")
  public Messages.Structs echoStruct(Messages.Structs message) {
    return said(message);
  }

  @POST
  @Path("echoList")
  public Messages.Chain echoList(Messages.Chain message) {
    return said(message);
  }

  @POST
  @Path("echoSynthetic")
  public Messages.Synthetic echoSynthetic(Messages.Synthetic message) {
    return said(message);
  }

  @GET
  @Path("orders/{id}")
  public Messages.Order getOrder(@PathParam("id") int id) {
    if (id < 0 || id > MOST_ORDER_ID) {
      throw new NotFoundException("there is no such order");
    }
    return new Messages.Order(PurchaseOrders.order(id));
  }

  /** The message; an empty body and the text null are none. */
  private static <T> T said(T message) {
    if (message == null) {
      throw new BadRequestException("the body is empty");
    }
    return message;
  }
}

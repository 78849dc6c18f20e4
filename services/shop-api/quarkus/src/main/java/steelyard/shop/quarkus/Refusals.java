package steelyard.shop.quarkus;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import jakarta.validation.ConstraintViolationException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Answers in place of what Quarkus answers to exceptions. */
public class Refusals {

  @ServerExceptionMapper
  public Response refuse(RefusalException e) {
    return response(e.refusal());
  }

  @ServerExceptionMapper({
    ConstraintViolationException.class,
    JacksonException.class,
    MismatchedInputException.class
  })
  public Response refuse() {
    return response(Refusal.NOT_VALID);
  }

  /** Of Quarkus itself: JSON that ends too early, another media type, a path that is none. */
  @ServerExceptionMapper
  public Response refuse(WebApplicationException e) {
    int status = e.getResponse().getStatus();
    Refusal refusal = status == Refusal.NOT_FOUND.status() ? Refusal.NOT_FOUND : Refusal.NOT_VALID;
    return response(status, refusal);
  }

  static Response response(Refusal refusal) {
    return response(refusal.status(), refusal);
  }

  private static Response response(int status, Refusal refusal) {
    return Response.status(status)
        .type(MediaType.APPLICATION_JSON_TYPE)
        .entity(refusal.answer())
        .build();
  }
}

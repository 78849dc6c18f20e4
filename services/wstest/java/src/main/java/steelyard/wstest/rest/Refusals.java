package steelyard.wstest.rest;

import jakarta.json.JsonException;
import jakarta.json.bind.JsonbException;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/**
 * A body that is not the operation's message is its sender's fault: status 400. Which exception
 * tells of it differs from server to server; most would answer 500.
 */
public final class Refusals {

  private Refusals() {}

  private static Response refused() {
    return Response.status(Response.Status.BAD_REQUEST)
        .type(MediaType.TEXT_PLAIN_TYPE)
        .entity("this is not the operation's message")
        .build();
  }

  /** From a reader of bodies that is part of the server. */
  @Provider
  public static class OfReader implements ExceptionMapper<ProcessingException> {
    @Override
    public Response toResponse(ProcessingException exception) {
      return refused();
    }
  }

  /** From JSON Binding: the text is JSON, its values are of other types. */
  @Provider
  public static class OfBinding implements ExceptionMapper<JsonbException> {
    @Override
    public Response toResponse(JsonbException exception) {
      return refused();
    }
  }

  /** From the parser: the text is no JSON. */
  @Provider
  public static class OfParser implements ExceptionMapper<JsonException> {
    @Override
    public Response toResponse(JsonException exception) {
      return refused();
    }
  }
}

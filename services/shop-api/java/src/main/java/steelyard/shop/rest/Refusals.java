package steelyard.shop.rest;

import jakarta.json.JsonException;
import jakarta.json.bind.JsonbException;
import jakarta.validation.ConstraintViolationException;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** The answers that refuse a request, by the exceptions that report why. */
public final class Refusals {

  private Refusals() {}

  static Response response(Refusal refusal) {
    return Response.status(refusal.status())
        .type(MediaType.APPLICATION_JSON_TYPE)
        .entity(refusal.answer())
        .build();
  }

  /** The shop refuses it. */
  @Provider
  public static class OfShop implements ExceptionMapper<RefusalException> {
    @Override
    public Response toResponse(RefusalException exception) {
      return response(exception.refusal());
    }
  }

  /** A value is missing or out of its bounds. */
  @Provider
  public static class OfValidation implements ExceptionMapper<ConstraintViolationException> {
    @Override
    public Response toResponse(ConstraintViolationException exception) {
      return response(Refusal.NOT_VALID);
    }
  }

  /** The body cannot be read. Which of three exceptions reports it differs between servers. */
  @Provider
  public static class OfReader implements ExceptionMapper<ProcessingException> {
    @Override
    public Response toResponse(ProcessingException exception) {
      return response(Refusal.NOT_VALID);
    }
  }

  /** As OfReader: a value has another type. */
  @Provider
  public static class OfBinding implements ExceptionMapper<JsonbException> {
    @Override
    public Response toResponse(JsonbException exception) {
      return response(Refusal.NOT_VALID);
    }
  }

  /** As OfReader: the body is no JSON. */
  @Provider
  public static class OfParser implements ExceptionMapper<JsonException> {
    @Override
    public Response toResponse(JsonException exception) {
      return response(Refusal.NOT_VALID);
    }
  }
}

package steelyard.shop.rest;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import steelyard.shop.Refusal;

/** Refuses a body that is no UTF-8: JSON Processing reads such bytes as replacement characters. */
@Provider
public class Utf8Check implements ReaderInterceptor {

  private static final int MOST_BYTES = 16 << 20;

  @Override
  public Object aroundReadFrom(ReaderInterceptorContext context) throws IOException {
    byte[] body = context.getInputStream().readNBytes(MOST_BYTES + 1);
    if (body.length > MOST_BYTES) {
      throw new WebApplicationException(Response.Status.REQUEST_ENTITY_TOO_LARGE);
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
    } catch (CharacterCodingException notUtf8) {
      throw new WebApplicationException(notUtf8, Refusals.response(Refusal.NOT_VALID));
    }
    context.setInputStream(new ByteArrayInputStream(body));
    return context.proceed();
  }
}

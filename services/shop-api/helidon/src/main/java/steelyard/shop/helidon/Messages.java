package steelyard.shop.helidon;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.helidon.common.media.type.MediaTypes;
import io.helidon.http.HttpException;
import io.helidon.http.HttpMediaType;
import io.helidon.http.Status;
import io.helidon.http.media.jackson.JacksonRuntimeException;
import io.helidon.webserver.http.ServerRequest;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Reads requests and validates them. */
final class Messages {

  /** Takes JSON's types as they are. */
  static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .withCoercionConfig(
              LogicalType.Textual,
              texts ->
                  texts
                      .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .build();

  private final Validator validator =
      Validation.byDefaultProvider()
          .configure()
          .messageInterpolator(new ParameterMessageInterpolator())
          .buildValidatorFactory()
          .getValidator();

  /**
   * A request's body, once it is valid.
   *
   * @throws RefusalException NOT_VALID where it is not
   * @throws HttpException where it is of another media type, for which Helidon would answer 500
   */
  <T> T read(ServerRequest request, Class<T> type) {
    if (request.headers().contentType().filter(Messages::isJson).isEmpty()) {
      throw new HttpException("not JSON", Status.UNSUPPORTED_MEDIA_TYPE_415, true);
    }
    if (!request.content().hasEntity()) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    T message;
    try {
      message = request.content().as(type);
    } catch (JacksonRuntimeException unreadable) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    if (message == null || !validator.validate(message).isEmpty()) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    return message;
  }

  private static boolean isJson(HttpMediaType type) {
    return type.mediaType().equals(MediaTypes.APPLICATION_JSON);
  }
}

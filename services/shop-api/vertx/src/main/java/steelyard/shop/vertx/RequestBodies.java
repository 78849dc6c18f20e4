package steelyard.shop.vertx;

import io.vertx.core.json.DecodeException;
import io.vertx.ext.web.RoutingContext;
import jakarta.validation.Validation;
import jakarta.validation.Validator;
import org.hibernate.validator.messageinterpolation.ParameterMessageInterpolator;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Reads the bodies of requests, and refuses those that are not valid. */
final class RequestBodies {

  // Nobody reads what a violation says, so no library for expressions in it is needed.
  private final Validator validator =
      Validation.byDefaultProvider()
          .configure()
          .messageInterpolator(new ParameterMessageInterpolator())
          .buildValidatorFactory()
          .getValidator();

  /**
   * The message in a request's body.
   *
   * @throws RefusalException NOT_VALID where it is none
   */
  <T> T read(RoutingContext context, Class<T> type) {
    T message;
    try {
      message = context.body().asPojo(type);
    } catch (DecodeException noSuchMessage) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    if (message == null || !validator.validate(message).isEmpty()) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    return message;
  }
}

package steelyard.shop.micronaut;

import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.micronaut.http.server.exceptions.response.ErrorContext;
import io.micronaut.http.server.exceptions.response.ErrorResponseProcessor;
import jakarta.inject.Singleton;
import steelyard.shop.ErrorAnswer;
import steelyard.shop.Refusal;

/**
 * The bodies of errors that Micronaut itself finds: in the request's JSON, its bounds, its path.
 */
@Singleton
class ErrorBodies implements ErrorResponseProcessor<ErrorAnswer> {

  private static final ErrorAnswer FAILED = new ErrorAnswer("failed");

  @Override
  public MutableHttpResponse<ErrorAnswer> processResponse(
      ErrorContext context, MutableHttpResponse<?> response) {
    return response.body(answerOf(response.code())).contentType(MediaType.APPLICATION_JSON_TYPE);
  }

  private static ErrorAnswer answerOf(int status) {
    if (status >= 500) {
      return FAILED;
    }
    return status == 404 ? Refusal.NOT_FOUND.answer() : Refusal.NOT_VALID.answer();
  }
}

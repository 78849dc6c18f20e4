package steelyard.shop.micronaut;

import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.server.exceptions.ExceptionHandler;
import jakarta.inject.Singleton;
import steelyard.shop.ErrorAnswer;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Answers a request that is refused. */
@Singleton
class RefusalHandler implements ExceptionHandler<RefusalException, HttpResponse<ErrorAnswer>> {

  @Override
  @SuppressWarnings("rawtypes") // as the interface has it
  public HttpResponse<ErrorAnswer> handle(HttpRequest request, RefusalException exception) {
    Refusal refusal = exception.refusal();
    return HttpResponse.<ErrorAnswer>status(HttpStatus.valueOf(refusal.status()))
        .body(refusal.answer());
  }
}

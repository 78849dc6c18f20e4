package steelyard.shop.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import steelyard.shop.ErrorAnswer;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Answers what is refused, by the shop or by Spring MVC, as the contract says. */
@RestControllerAdvice
class RefusalHandler extends ResponseEntityExceptionHandler {

  @ExceptionHandler
  ResponseEntity<ErrorAnswer> answer(RefusalException exception) {
    Refusal refusal = exception.refusal();
    return ResponseEntity.status(refusal.status()).body(refusal.answer());
  }

  @Override
  protected @Nullable ResponseEntity<Object> handleExceptionInternal(
      Exception exception,
      @Nullable Object body,
      HttpHeaders headers,
      HttpStatusCode status,
      WebRequest request) {
    if (status.is5xxServerError()) {
      return super.handleExceptionInternal(exception, body, headers, status, request);
    }
    Refusal refusal =
        status.isSameCodeAs(HttpStatus.NOT_FOUND) ? Refusal.NOT_FOUND : Refusal.NOT_VALID;
    return new ResponseEntity<>(refusal.answer(), headers, status);
  }
}

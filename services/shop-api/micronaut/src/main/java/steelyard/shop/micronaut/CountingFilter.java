package steelyard.shop.micronaut;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;
import steelyard.common.BusyWork;
import steelyard.shop.Counts;
import steelyard.shop.Refusal;

/** Counts requests, and keeps each busy for as long as its header asks for. */
@ServerFilter("/shop/**")
class CountingFilter {

  private static final String BUSY = "Steelyard-Busy-Us";

  private final Counts counts;

  CountingFilter(Counts counts) {
    this.counts = counts;
  }

  /** A refusal, or null where the request goes on. */
  @RequestFilter
  @Nullable
  HttpResponse<?> count(HttpRequest<?> request) {
    if (!Counts.counts(request.getPath())) {
      return null;
    }
    counts.addRequest();
    String busy = request.getHeaders().get(BUSY);
    if (busy == null || BusyWork.spin(busy)) {
      return null;
    }
    return HttpResponse.badRequest(Refusal.NOT_VALID.answer());
  }
}

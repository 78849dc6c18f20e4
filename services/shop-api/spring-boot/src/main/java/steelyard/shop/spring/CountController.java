package steelyard.shop.spring;

import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import steelyard.shop.Counts;

/** Tells the counts. */
@RestController
class CountController {

  private final Counts counts;

  CountController(Counts counts) {
    this.counts = counts;
  }

  @GetMapping(path = Counts.REQUESTS_PATH, produces = MediaType.TEXT_PLAIN_VALUE)
  String requests() {
    return Long.toString(counts.requests());
  }

  @GetMapping(path = Counts.ACCEPTED_PATH, produces = MediaType.TEXT_PLAIN_VALUE)
  String accepted() {
    return Long.toString(counts.accepted());
  }
}

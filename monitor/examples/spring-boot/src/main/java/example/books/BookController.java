package example.books;

import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping(value = "/books", produces = "text/plain")
public class BookController {

  private final Shelf shelf;

  public BookController(Shelf shelf) {
    this.shelf = shelf;
  }

  @GetMapping
  public String titles(@RequestParam String author) {
    return String.join("\n", shelf.titlesOf(author)) + "\n";
  }

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  public void add(@RequestParam String author, @RequestParam String title) {
    shelf.add(author, title);
  }

  @GetMapping("/count")
  public CompletableFuture<String> count() {
    return CompletableFuture.supplyAsync(() -> shelf.count() + "\n");
  }
}

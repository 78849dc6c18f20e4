package example.books;

import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Shelf {

  private final BookRepository books;

  public Shelf(BookRepository books) {
    this.books = books;
  }

  @Transactional(readOnly = true)
  public List<String> titlesOf(String author) {
    return books.findByAuthorOrderByTitle(author).stream().map(Book::title).toList();
  }

  @Transactional
  public void add(String author, String title) {
    books.save(new Book(author, title));
  }

  public long count() {
    return books.count();
  }
}

package example.books;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;

@Entity
public class Book {

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE)
  private Long id;

  private String author;
  private String title;

  protected Book() {}

  public Book(String author, String title) {
    this.author = author;
    this.title = title;
  }

  public String title() {
    return title;
  }
}

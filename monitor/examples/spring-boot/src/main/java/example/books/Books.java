package example.books;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Books {

  public static void main(String[] arguments) {
    SpringApplication.run(Books.class, arguments);
  }
}

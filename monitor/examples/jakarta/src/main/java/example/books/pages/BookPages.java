package example.books.pages;

import example.books.service.Shelf;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;

/** The books as lines of text. */
@WebServlet("/*")
public class BookPages extends HttpServlet {

  private final transient Shelf shelf = new Shelf();

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setContentType("text/plain");
    PrintWriter answer = response.getWriter();
    if ("/count".equals(request.getPathInfo())) {
      answer.println(shelf.count());
    } else {
      shelf.titlesOf(request.getParameter("author")).forEach(answer::println);
    }
  }

  @Override
  protected void doPost(HttpServletRequest request, HttpServletResponse response) {
    shelf.add(request.getParameter("author"), request.getParameter("title"));
    response.setStatus(HttpServletResponse.SC_CREATED);
  }
}

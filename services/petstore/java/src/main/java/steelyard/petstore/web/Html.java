package steelyard.petstore.web;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Pages as text: the frame that all have, and what makes a text safe in one. */
public final class Html {

  private Html() {}

  public static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    for (int place = 0; place < text.length(); place++) {
      char one = text.charAt(place);
      switch (one) {
        case '&' -> safe.append("&amp;");
        case '<' -> safe.append("&lt;");
        case '>' -> safe.append("&gt;");
        case '"' -> safe.append("&quot;");
        case '\'' -> safe.append("&#39;");
        default -> safe.append(one);
      }
    }
    return safe.toString();
  }

  /** 1850 cents are 18.50. */
  public static String price(long cents) {
    return "%d.%02d".formatted(cents / 100, cents % 100);
  }

  /** Answers with a page; title is text, content is HTML. */
  public static void page(HttpServletResponse response, int status, String title, String content)
      throws IOException {
    String page =
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%1$s - Pet Store</title><link rel="stylesheet" href="/petstore/style.css">
        <link rel="icon" type="image/svg+xml" href="/petstore/picture?kind=fish&amp;of=goldfish"></head>
        <body><header><a class="shop" href="/petstore/home">Pet Store</a>
        <nav><a href="/petstore/category?id=birds">Birds</a> <a href="/petstore/category?id=cats">Cats</a>
        <a href="/petstore/category?id=dogs">Dogs</a> <a href="/petstore/category?id=fish">Fish</a>
        <a href="/petstore/category?id=reptiles">Reptiles</a> <a href="/petstore/cart">Cart</a></nav></header>
        <main><h1>%1$s</h1>
        %2$s
        </main></body></html>
        """
            .formatted(escaped(title), content);
    byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
    response.setStatus(status);
    response.setContentType("text/html;charset=UTF-8");
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }

  /** A page that says what is wrong and what to do. */
  public static void refusal(HttpServletResponse response, int status, String why)
      throws IOException {
    page(response, status, "That did not work", "<p class=\"wrong\">" + escaped(why) + "</p>");
  }
}

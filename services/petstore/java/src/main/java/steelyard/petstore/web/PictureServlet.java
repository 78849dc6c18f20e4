package steelyard.petstore.web;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;

/** Draws the pets: a shape a category, a colour of its own each. */
@WebServlet("/picture")
public class PictureServlet extends HttpServlet {

  private static final long serialVersionUID = 1;

  private static final Map<String, String> SHAPES =
      Map.of(
          "birds",
          "<ellipse cx='80' cy='66' rx='34' ry='24'/><circle cx='112' cy='44' r='16'/>"
              + "<path d='M126 42l16 5-15 5zM50 62L18 50l8 28z'/>"
              + "<path class='line' d='M74 90v16M88 90v16'/><circle class='eye' cx='116' cy='40' r='3'/>",
          "cats",
          "<ellipse cx='74' cy='80' rx='36' ry='24'/><circle cx='106' cy='48' r='22'/>"
              + "<path d='M90 34l2-22 16 12zM112 24l16-12 1 24z'/>"
              + "<path class='line' d='M40 84c-26 2-24-34-12-42'/><circle class='eye' cx='99' cy='46' r='3'/>"
              + "<circle class='eye' cx='114' cy='46' r='3'/>",
          "dogs",
          "<rect x='38' y='56' width='66' height='30' rx='14'/><rect x='92' y='28' width='40' height='32' rx='14'/>"
              + "<path d='M96 30c-16 2-14 30-4 30zM42 80h12v28H42zM86 80h12v28H86z'/>"
              + "<path class='line' d='M40 62L22 42'/><circle class='eye' cx='118' cy='40' r='3'/>",
          "fish",
          "<ellipse cx='72' cy='60' rx='44' ry='26'/><path d='M110 60l34-26v52zM64 36l22-18 4 22z'/>"
              + "<circle class='eye' cx='46' cy='54' r='4'/><path class='line' d='M92 46c8 10 8 18 0 28'/>",
          "reptiles",
          "<ellipse cx='76' cy='64' rx='40' ry='22'/><ellipse cx='124' cy='56' rx='16' ry='12'/>"
              + "<path d='M46 78l-16 20h14l14-16zM98 80l12 20h14l-12-24zM38 58L8 70l32 8z'/>"
              + "<circle class='eye' cx='130' cy='52' r='3'/><path class='line' d='M60 48l8 34M80 44l6 40'/>");

  @Override
  protected void doGet(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String kind = String.valueOf(request.getParameter("kind"));
    String shape = SHAPES.get(kind);
    if (shape == null) {
      response.sendError(HttpServletResponse.SC_NOT_FOUND, "there is no such picture");
      return;
    }
    int hue = Math.floorMod(String.valueOf(request.getParameter("of")).hashCode() * 37, 360);
    response.setContentType("image/svg+xml");
    response.setHeader("Cache-Control", "public, max-age=86400");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response
        .getWriter()
        .print(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 120">
            <style>.line{fill:none;stroke:hsl(%1$d 55%% 30%%);stroke-width:5;stroke-linecap:round}.eye{fill:#222}</style>
            <rect width="160" height="120" rx="10" fill="hsl(%1$d 45%% 92%%)"/><g fill="hsl(%1$d 55%% 52%%)">%2$s</g></svg>
            """
                .formatted(hue, shape));
  }
}

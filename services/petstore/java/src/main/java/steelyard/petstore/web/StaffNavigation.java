package steelyard.petstore.web;

import java.util.Map;
import java.util.TreeMap;

/** The way between the pages of those who run the shop; visitors' pages do not have it. */
public final class StaffNavigation {

  private static final Map<String, String> PAGES =
      new TreeMap<>(Map.of("admin", "Orders", "inventory", "Stock", "mails", "Mails"));

  private StaffNavigation() {}

  /** Links to all of the pages, as HTML; `here` is the one that they stand on. */
  public static String at(String here) {
    StringBuilder links = new StringBuilder("<nav class=\"staff\" aria-label=\"Administration\">");
    PAGES.forEach(
        (page, title) ->
            links.append(
                "<a href=\"/petstore/%s\"%s>%s</a> "
                    .formatted(page, page.equals(here) ? " aria-current=\"page\"" : "", title)));
    return links.append("</nav>\n").toString();
  }
}

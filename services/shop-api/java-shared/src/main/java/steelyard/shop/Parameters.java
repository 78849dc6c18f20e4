package steelyard.shop;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** What paths and queries hold. */
public final class Parameters {

  private static final int MOST_IDS = 100;
  private static final Pattern KEYWORD = Pattern.compile(Texts.UP_TO_100);

  private Parameters() {}

  /**
   * A positive number in ASCII digits.
   *
   * @throws RefusalException NOT_VALID where the text is null or none
   */
  public static long id(String text) {
    if (text == null || text.isEmpty()) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    for (int i = 0; i < text.length(); i++) {
      // Long.parseLong takes digits of every script.
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        throw new RefusalException(Refusal.NOT_VALID);
      }
    }
    long id;
    try {
      id = Long.parseLong(text);
    } catch (NumberFormatException tooLarge) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    if (id < 1) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    return id;
  }

  /**
   * 1 to 100 ids with commas between.
   *
   * @throws RefusalException NOT_VALID where the text is null or something else
   */
  public static List<Long> ids(String text) {
    if (text == null) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    String[] words = text.split(",", MOST_IDS + 1);
    if (words.length > MOST_IDS) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    List<Long> ids = new ArrayList<>(words.length);
    for (String word : words) {
      ids.add(id(word));
    }
    return ids;
  }

  /**
   * A keyword of 1 to 100 characters.
   *
   * @throws RefusalException NOT_VALID where the text is null or something else
   */
  public static String keyword(String text) {
    if (text == null || !KEYWORD.matcher(text).matches()) {
      throw new RefusalException(Refusal.NOT_VALID);
    }
    return text;
  }
}

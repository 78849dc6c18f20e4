package steelyard.monitor;

import java.util.Arrays;

/**
 * The tags that were ever used; more than there is room for are one layer, called {@code other}.
 */
final class Tags {

  static final int MOST = 32;

  private static final int LONGEST_NAME = 100;

  private volatile Object[] known = {};
  private volatile Tag[] tags = {};

  Tag of(Object named) {
    if (named instanceof Tag tag) {
      return tag;
    }
    Object[] objects = known;
    for (int i = 0; i < objects.length; i++) {
      if (objects[i] == named) {
        return tags[i];
      }
    }
    for (int i = 0; i < objects.length; i++) {
      if (objects[i].equals(named)) {
        return tags[i];
      }
    }
    return make(named);
  }

  private synchronized Tag make(Object named) {
    for (int i = 0; i < known.length; i++) {
      if (known[i].equals(named)) {
        return tags[i];
      }
    }
    if (known.length == MOST) {
      return tags[MOST - 1];
    }
    String name = known.length == MOST - 1 ? "other" : String.valueOf(named);
    Tag made = new Tag(known.length, name.substring(0, Math.min(name.length(), LONGEST_NAME)));
    Tag[] more = Arrays.copyOf(tags, tags.length + 1);
    more[tags.length] = made;
    tags = more; // before `known`, through which readers come
    Object[] objects = Arrays.copyOf(known, known.length + 1);
    objects[known.length] = named == null ? "null" : named;
    known = objects;
    return made;
  }

  Tag at(int index) {
    return tags[index];
  }
}

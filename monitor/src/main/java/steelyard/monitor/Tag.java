package steelyard.monitor;

/** A layer's name and its place among the tags of this process. */
public final class Tag {

  private final int index;
  private final String name;

  Tag(int index, String name) {
    this.index = index;
    this.name = name;
  }

  int index() {
    return index;
  }

  @Override
  public String toString() {
    return name;
  }
}

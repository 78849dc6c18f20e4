package steelyard.petstore.documents;

/** Some of one item, and what one of it costs, in cents. */
public record OrderLine(String item, int quantity, int cents) {

  /** What all of it costs, in cents. */
  public long total() {
    return (long) quantity * cents;
  }
}

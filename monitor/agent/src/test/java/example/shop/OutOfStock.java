package example.shop;

/** What the shop declares that it may answer. */
public class OutOfStock extends Exception {

  public OutOfStock(String message) {
    super(message);
  }
}

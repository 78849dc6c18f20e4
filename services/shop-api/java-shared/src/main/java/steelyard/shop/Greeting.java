package steelyard.shop;

/** The constant answer. */
public record Greeting(String service, String greeting) {

  public static final Greeting HELLO = new Greeting("shop-api", "hello");
}

package example.shop;

/** The shortest application. */
final class Greeting {

  private Greeting() {}

  public static void main(String[] arguments) {
    System.out.println("good day");
  }
}

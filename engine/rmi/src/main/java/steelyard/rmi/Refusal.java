package steelyard.rmi;

/** What cannot be done, as one sentence for whoever asked for it. */
final class Refusal extends Exception {

  private static final long serialVersionUID = 1;

  Refusal(String sentence) {
    super(sentence);
  }
}

package steelyard.petstore.documents;

/**
 * A document that is none of those which the parts exchange; the message says why, in a sentence.
 */
public class BadDocumentException extends Exception {

  private static final long serialVersionUID = 1;

  public BadDocumentException(String message) {
    super(message);
  }
}

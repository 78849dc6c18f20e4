package steelyard.petstore.messaging;

/** The broker, or the other end of a call, did not take a document. */
public class MessagingException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public MessagingException(String message, Throwable cause) {
    super(message, cause);
  }
}

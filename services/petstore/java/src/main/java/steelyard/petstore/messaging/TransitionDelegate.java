package steelyard.petstore.messaging;

/** How a workflow step hands its document to the next one. */
public interface TransitionDelegate {

  /** Raises MessagingException where the document was not taken. */
  void pass(String document);
}

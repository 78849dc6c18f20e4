package steelyard.petstore.messaging;

/** Sends documents to destinations, persistently; how that stands to a transaction is its own. */
public interface Messenger {

  /** Raises MessagingException where the broker does not take it. */
  void send(Destination destination, String document);
}

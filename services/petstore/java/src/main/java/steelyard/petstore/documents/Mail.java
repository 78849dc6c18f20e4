package steelyard.petstore.documents;

/** A mail to a customer about an order; `kind` is approved, denied, shipped or completed. */
public record Mail(String order, String kind, String to, String subject, String text) {}

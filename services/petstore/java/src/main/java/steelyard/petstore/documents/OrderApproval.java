package steelyard.petstore.documents;

/** Whether an order may be carried out. */
public record OrderApproval(String id, boolean approved) {}

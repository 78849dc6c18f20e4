package steelyard.petstore.documents;

import java.util.List;

/** What the supplier shall ship. */
public record SupplierOrder(String id, Address address, List<OrderLine> lines) {}

package steelyard.petstore.documents;

import java.util.List;

/** What the supplier has shipped of an order; `shipped` is an xs:dateTime. */
public record Invoice(String id, String shipped, List<OrderLine> lines) {}

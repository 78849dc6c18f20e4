package steelyard.petstore.documents;

/** Where an order goes. */
public record Address(String name, String street, String city, String country) {}

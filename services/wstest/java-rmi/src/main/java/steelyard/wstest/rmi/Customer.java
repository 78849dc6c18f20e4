package steelyard.wstest.rmi;

import java.io.Serializable;

/** Who ordered. */
public record Customer(int customerId, String name, String email) implements Serializable {}

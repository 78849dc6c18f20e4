package steelyard.rmi.other;

import java.io.Serializable;

/** A class that the contract does not have, though it can be loaded. */
public record Alien(String says) implements Serializable {}

package steelyard.rmi.sample;

import java.io.Serializable;

/** A value of the contract, which may hold another. */
public record Item(int number, String text, Item next) implements Serializable {}

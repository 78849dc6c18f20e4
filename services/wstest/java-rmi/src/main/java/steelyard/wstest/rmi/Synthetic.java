package steelyard.wstest.rmi;

import java.io.Serializable;

/** Values of different types. */
public record Synthetic(String text, Struct struct, byte[] bytes) implements Serializable {}

package steelyard.wstest.rmi;

import java.io.Serializable;

/** An integer, a float and a string. */
public record Struct(int varInt, float varFloat, String varString) implements Serializable {}

package steelyard.rmi.stamped;

import java.io.Serializable;

/** An answer that tells when it was given (CLOCK_MONOTONIC, ns). */
public record Stamp(String says, long writeNs) implements Serializable {}

package steelyard.soaservers;

import java.util.List;

/** One service, and those that it calls: in this order, or all at once. */
public record Node(String name, List<String> calls, boolean parallel) {}

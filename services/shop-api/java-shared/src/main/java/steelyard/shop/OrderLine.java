package steelyard.shop;

/** A line of an order, with its item as it was ordered. */
public record OrderLine(long item, String name, long quantity, long priceCents) {}

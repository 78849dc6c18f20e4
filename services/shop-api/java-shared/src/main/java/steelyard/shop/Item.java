package steelyard.shop;

/** An item as customers see it. */
public record Item(long id, String name, String keyword, long priceCents, String description) {}

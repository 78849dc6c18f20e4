package steelyard.shop;

import java.util.List;

/** A list of items. */
public record Items(List<Item> items) {}

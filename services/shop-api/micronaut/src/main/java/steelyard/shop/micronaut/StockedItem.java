package steelyard.shop.micronaut;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;

/** What an order needs of an item once it has taken it from the stock. */
@MappedEntity("item")
record StockedItem(@Id Long id, String name, long priceCents) {}

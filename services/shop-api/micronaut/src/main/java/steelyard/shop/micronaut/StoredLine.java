package steelyard.shop.micronaut;

import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;

/** A line of an order in the database. */
@MappedEntity("order_line")
record StoredLine(
    @Id long orderId, @Id int lineNumber, long itemId, long quantity, long priceCents) {}

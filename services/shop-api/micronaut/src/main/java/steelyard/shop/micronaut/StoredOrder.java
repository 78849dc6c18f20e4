package steelyard.shop.micronaut;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;

/** An order in the database, without its lines. */
@MappedEntity("orders")
record StoredOrder(
    @Nullable @Id @GeneratedValue(GeneratedValue.Type.IDENTITY) Long id, String customer) {}

package steelyard.wstest.rmi;

import java.io.Serializable;
import java.math.BigDecimal;

/** A line of a purchase order. */
public record LineItem(
    int lineNumber, String sku, String description, int quantity, BigDecimal unitPrice)
    implements Serializable {}

package steelyard.wstest.rmi;

import java.io.Serializable;
import java.math.BigDecimal;
import java.time.LocalDate;

/** A purchase order, its total the sum of its lines. */
public record PurchaseOrder(
    int orderId,
    String reference,
    LocalDate orderDate,
    Customer customer,
    Address billingAddress,
    Address shippingAddress,
    LineItem[] items,
    BigDecimal total)
    implements Serializable {}

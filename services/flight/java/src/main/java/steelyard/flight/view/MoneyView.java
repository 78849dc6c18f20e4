package steelyard.flight.view;

import java.math.BigDecimal;

/** An amount of a currency. */
public record MoneyView(BigDecimal amount, String currency) {}

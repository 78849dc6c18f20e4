package steelyard.flight.domain;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import java.math.BigDecimal;

/** An amount of a currency. */
@Embeddable
public record Money(
    @Column(name = "amount") BigDecimal amount, @Column(name = "currency") String currency) {

  public Money times(int factor) {
    return new Money(amount.multiply(BigDecimal.valueOf(factor)), currency);
  }
}

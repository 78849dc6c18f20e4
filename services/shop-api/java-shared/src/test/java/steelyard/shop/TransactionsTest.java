package steelyard.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransactionsTest {

  private static RuntimeException ended(String state) {
    return new IllegalStateException(new IllegalStateException(new SQLException("ended", state)));
  }

  @Test
  void aTransactionThatWasOvertakenBeginsAgain() {
    Deque<RuntimeException> failures = new ArrayDeque<>(List.of(ended("40001"), ended("40001")));

    String kept =
        Transactions.repeated(
            () -> {
              if (!failures.isEmpty()) {
                throw failures.pop();
              }
              return "kept";
            });

    assertThat(kept).isEqualTo("kept");
    assertThat(failures).isEmpty();
  }

  @Test
  void anyOtherEndIsFinal() {
    for (RuntimeException failure :
        List.of(ended("23505"), new RefusalException(Refusal.OUT_OF_STOCK))) {
      Deque<RuntimeException> failures = new ArrayDeque<>(List.of(failure));

      assertThatThrownBy(
              () ->
                  Transactions.repeated(
                      () -> {
                        throw failures.pop();
                      }))
          .isSameAs(failure);
    }
  }
}

package steelyard.shop;

import java.sql.SQLException;
import java.util.function.Supplier;

/** Transactions that begin again where the database ends them for their isolation. */
public final class Transactions {

  private static final String SERIALIZATION_FAILURE = "40001";

  private Transactions() {}

  /**
   * What a transaction gives. It begins again as often as PostgreSQL ends it because another one,
   * which was committed meanwhile, changed what it changes.
   */
  public static <T> T repeated(Supplier<T> transaction) {
    while (true) {
      try {
        return transaction.get();
      } catch (RuntimeException e) {
        if (!isOvertaken(e)) {
          throw e;
        }
      }
    }
  }

  /** Whether the database ended a transaction for its isolation, however that is wrapped. */
  public static boolean isOvertaken(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof SQLException reported
          && SERIALIZATION_FAILURE.equals(reported.getSQLState())) {
        return true;
      }
    }
    return false;
  }
}

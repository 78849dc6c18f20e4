package steelyard.flight.service;

import java.util.function.Function;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import steelyard.flight.domain.FlightDomain;
import steelyard.flight.extension.Extensions;

/**
 * Runs service objects: each between the service interceptors and in a transaction of its own,
 * which a failure rolls back.
 */
public final class Services {

  private final SessionFactory sessions;
  private final Function<Session, FlightDomain> design;
  private final Extensions extensions;

  public Services(
      SessionFactory sessions, Function<Session, FlightDomain> design, Extensions extensions) {
    this.sessions = sessions;
    this.design = design;
    this.extensions = extensions;
  }

  public <R> R run(ServiceObject<R> object) {
    return extensions.aroundService(object.name(), () -> inTransaction(object));
  }

  private <R> R inTransaction(ServiceObject<R> object) {
    try (Session session = sessions.openSession()) {
      Transaction transaction = session.beginTransaction();
      try {
        R result = object.run(design.apply(session));
        transaction.commit();
        return result;
      } catch (RuntimeException e) {
        rollBack(transaction, e);
        throw e;
      }
    }
  }

  private static void rollBack(Transaction transaction, RuntimeException cause) {
    try {
      if (transaction.isActive()) {
        transaction.rollback();
      }
    } catch (RuntimeException e) {
      cause.addSuppressed(e); // the first failure is what is told
    }
  }
}

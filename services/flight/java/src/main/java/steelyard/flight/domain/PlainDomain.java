package steelyard.flight.domain;

import static steelyard.flight.domain.FlightException.Reason.NO_SUCH_DATE;
import static steelyard.flight.domain.FlightException.Reason.UNKNOWN_AIRPORT;
import static steelyard.flight.domain.FlightException.Reason.UNKNOWN_FLIGHT;

import java.time.LocalDate;
import java.util.List;
import org.hibernate.Session;

/** A domain without a root: each question is a query, and nothing is shared that need not be. */
public final class PlainDomain implements FlightDomain {

  private static final String OFFERS =
      "select i from FlightInstance i join fetch i.flight f join fetch f.airline join fetch i.airplane p join fetch p.aircraft";

  private final Session session;

  public PlainDomain(Session session) {
    this.session = session;
  }

  @Override
  public List<FlightInstance> between(String origin, String destination, LocalDate day) {
    Airport from = airport(origin);
    Airport to = airport(destination);
    requireFlown(day);
    return session
        .createSelectionQuery(
            OFFERS
                + " where f.origin = :origin and f.destination = :destination and i.day = :day order by i.price.amount, f.number",
            FlightInstance.class)
        .setParameter("origin", from)
        .setParameter("destination", to)
        .setParameter("day", day)
        .getResultList();
  }

  @Override
  public FlightInstance flight(String number, LocalDate day) {
    FlightInstance found =
        session
            .createSelectionQuery(
                OFFERS + " where f.number = :number and i.day = :day", FlightInstance.class)
            .setParameter("number", number)
            .setParameter("day", day)
            .getSingleResultOrNull();
    if (found == null) {
      throw new FlightException(UNKNOWN_FLIGHT, number);
    }
    return found;
  }

  @Override
  public void keep(Reservation reservation) {
    session.persist(reservation);
  }

  private Airport airport(String code) {
    Airport found =
        session
            .createSelectionQuery("from Airport where code = :code", Airport.class)
            .setParameter("code", code)
            .getSingleResultOrNull();
    if (found == null) {
      throw new FlightException(UNKNOWN_AIRPORT, code);
    }
    return found;
  }

  private void requireFlown(LocalDate day) {
    Integer any =
        session
            .createSelectionQuery("select 1 from FlightInstance where day = :day", Integer.class)
            .setParameter("day", day)
            .setMaxResults(1)
            .getSingleResultOrNull();
    if (any == null) {
      throw new FlightException(NO_SUCH_DATE, day.toString());
    }
  }
}

package steelyard.flight.domain;

import static steelyard.flight.domain.FlightException.Reason.NO_SUCH_DATE;
import static steelyard.flight.domain.FlightException.Reason.UNKNOWN_AIRPORT;
import static steelyard.flight.domain.FlightException.Reason.UNKNOWN_FLIGHT;

import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import org.hibernate.Session;

/** A domain in which every way begins at the root and goes from object to object. */
public final class RootDomain implements FlightDomain {

  private static final Comparator<FlightInstance> CHEAPEST_FIRST =
      Comparator.<FlightInstance, java.math.BigDecimal>comparing(each -> each.price().amount())
          .thenComparing(each -> each.flight().number());

  private final Session session;
  private final DomainRoot root;

  public RootDomain(Session session) {
    this.session = session;
    root = session.find(DomainRoot.class, DomainRoot.ID);
  }

  @Override
  public List<FlightInstance> between(String origin, String destination, LocalDate day) {
    Airport from = airport(origin);
    Airport to = airport(destination);
    List<FlightInstance> leaving =
        from.departures().stream()
            .filter(each -> each.destination().equals(to))
            .flatMap(each -> each.instances().stream())
            .filter(each -> each.day().equals(day))
            .sorted(CHEAPEST_FIRST)
            .toList();
    if (leaving.isEmpty() && !isFlown(day)) {
      throw new FlightException(NO_SUCH_DATE, day.toString());
    }
    return leaving;
  }

  @Override
  public FlightInstance flight(String number, LocalDate day) {
    return root.airlines().stream()
        .filter(each -> number.startsWith(each.code()))
        .flatMap(each -> each.flights().stream())
        .filter(each -> each.number().equals(number))
        .flatMap(each -> each.instances().stream())
        .filter(each -> each.day().equals(day))
        .findFirst()
        .orElseThrow(() -> new FlightException(UNKNOWN_FLIGHT, number));
  }

  @Override
  public void keep(Reservation reservation) {
    root.countReservation();
    session.persist(reservation);
  }

  private Airport airport(String code) {
    return root.airports().stream()
        .filter(each -> each.code().equals(code))
        .findFirst()
        .orElseThrow(() -> new FlightException(UNKNOWN_AIRPORT, code));
  }

  private boolean isFlown(LocalDate day) {
    return root.airlines().stream()
        .flatMap(each -> each.flights().stream())
        .flatMap(each -> each.instances().stream())
        .anyMatch(each -> each.day().equals(day));
  }
}

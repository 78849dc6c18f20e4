package steelyard.flight.domain;

import java.time.LocalDate;
import java.util.List;

/** What the services ask of the domain, within one transaction, however it is designed. */
public interface FlightDomain {

  /** The flights of a day between two airports, cheapest first. */
  List<FlightInstance> between(String origin, String destination, LocalDate day);

  /** The flight of that number on a day. */
  FlightInstance flight(String number, LocalDate day);

  /** Keeps a new reservation. */
  void keep(Reservation reservation);
}

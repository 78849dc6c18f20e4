package steelyard.flight.service;

import java.time.LocalDate;
import java.util.List;
import steelyard.flight.domain.FlightDomain;
import steelyard.flight.domain.Reservation;
import steelyard.flight.view.PassengerView;
import steelyard.flight.view.ReservationView;

/** Seats on a flight for a group, of one or more: all or none. */
public record CreateReservation(
    String reference, String flight, LocalDate day, List<PassengerView> group)
    implements ServiceObject<ReservationView> {

  @Override
  public ReservationView run(FlightDomain domain) {
    var reservation = Reservation.of(domain.flight(flight, day), reference, group);
    domain.keep(reservation);
    return Views.of(reservation);
  }
}

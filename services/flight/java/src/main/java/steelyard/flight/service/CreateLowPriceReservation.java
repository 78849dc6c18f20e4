package steelyard.flight.service;

import java.time.LocalDate;
import java.util.List;
import steelyard.flight.domain.FlightDomain;
import steelyard.flight.domain.FlightException;
import steelyard.flight.domain.FlightInstance;
import steelyard.flight.domain.Reservation;
import steelyard.flight.view.PassengerView;
import steelyard.flight.view.ReservationView;

/** A seat on the cheapest flight of a day that has one. */
public record CreateLowPriceReservation(
    String reference, String origin, String destination, LocalDate day, PassengerView passenger)
    implements ServiceObject<ReservationView> {

  @Override
  public ReservationView run(FlightDomain domain) {
    FlightInstance cheapest =
        domain.between(origin, destination, day).stream()
            .filter(each -> each.hasSeats(1))
            .findFirst()
            .orElseThrow(
                () ->
                    new FlightException(
                        FlightException.Reason.FULL_FLIGHT, origin + "-" + destination));
    var reservation = Reservation.of(cheapest, reference, List.of(passenger));
    domain.keep(reservation);
    return Views.of(reservation);
  }
}

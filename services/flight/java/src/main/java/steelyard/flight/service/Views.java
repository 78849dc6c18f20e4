package steelyard.flight.service;

import java.time.LocalDate;
import steelyard.flight.domain.Flight;
import steelyard.flight.domain.FlightInstance;
import steelyard.flight.domain.Money;
import steelyard.flight.domain.Passenger;
import steelyard.flight.domain.Reservation;
import steelyard.flight.view.FlightView;
import steelyard.flight.view.MoneyView;
import steelyard.flight.view.ReservationView;

/** Domain objects as those above the services may see them. */
final class Views {

  private Views() {}

  static FlightView of(FlightInstance instance) {
    Flight flight = instance.flight();
    LocalDate day = instance.day();
    return new FlightView(
        flight.number(),
        flight.airline().name(),
        flight.origin().code(),
        flight.destination().code(),
        flight.departure(day),
        flight.arrival(day),
        instance.airplane().aircraft().model(),
        of(instance.price()));
  }

  static ReservationView of(Reservation reservation) {
    FlightInstance instance = reservation.instance();
    return new ReservationView(
        reservation.reference(),
        reservation.code(),
        instance.flight().number(),
        instance.day(),
        of(reservation.total()),
        of(instance.price()),
        reservation.passengers().stream().map(Passenger::name).toList());
  }

  private static MoneyView of(Money money) {
    return new MoneyView(money.amount(), money.currency());
  }
}

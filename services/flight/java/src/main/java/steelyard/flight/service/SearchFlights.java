package steelyard.flight.service;

import java.time.LocalDate;
import java.util.List;
import steelyard.flight.domain.FlightDomain;
import steelyard.flight.view.FlightView;

/** Flights of a day from one airport to another, cheapest first. */
public record SearchFlights(String origin, String destination, LocalDate day)
    implements ServiceObject<List<FlightView>> {

  @Override
  public List<FlightView> run(FlightDomain domain) {
    return domain.between(origin, destination, day).stream().map(Views::of).toList();
  }
}

package steelyard.flight.service;

import steelyard.flight.domain.FlightDomain;

/**
 * One thing that the application does, within a transaction of its own. What it returns holds no
 * domain object.
 */
public interface ServiceObject<R> {

  R run(FlightDomain domain);

  /** What extensions know it by. */
  default String name() {
    return getClass().getSimpleName();
  }
}

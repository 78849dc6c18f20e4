package steelyard.flight.ws;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import javax.xml.datatype.DatatypeConfigurationException;
import javax.xml.datatype.DatatypeConstants;
import javax.xml.datatype.DatatypeFactory;
import javax.xml.datatype.XMLGregorianCalendar;
import steelyard.flight.contract.FlightList;
import steelyard.flight.contract.FlightOffer;
import steelyard.flight.contract.Money;
import steelyard.flight.contract.Passenger;
import steelyard.flight.contract.Reservation;
import steelyard.flight.contract.Ticket;
import steelyard.flight.domain.FlightException;
import steelyard.flight.view.FlightView;
import steelyard.flight.view.MoneyView;
import steelyard.flight.view.PassengerView;
import steelyard.flight.view.ReservationView;

/**
 * The contract's messages as views, and views as messages. What a request lacks is a
 * FlightException.
 */
final class Messages {

  private static final DatatypeFactory TYPES = types();

  private Messages() {}

  static String text(String name, String given) {
    if (given == null) {
      throw lacking(name);
    }
    return given;
  }

  static LocalDate day(String name, XMLGregorianCalendar given) {
    if (given == null || given.getXMLSchemaType() != DatatypeConstants.DATE) {
      throw lacking(name);
    }
    return LocalDate.of(given.getYear(), given.getMonth(), given.getDay());
  }

  static List<PassengerView> group(List<Passenger> given) {
    if (given == null || given.isEmpty()) {
      throw lacking("passenger");
    }
    return given.stream().map(Messages::passenger).toList();
  }

  static PassengerView passenger(Passenger given) {
    if (given == null) {
      throw lacking("passenger");
    }
    return new PassengerView(
        text("firstName", given.getFirstName()),
        text("lastName", given.getLastName()),
        day("birthDate", given.getBirthDate()),
        text("nationality", given.getNationality()),
        text("passport", given.getPassport()),
        day("passportExpires", given.getPassportExpires()),
        text("email", given.getEmail()),
        text("phone", given.getPhone()),
        text("street", given.getStreet()),
        text("city", given.getCity()),
        given.getBags());
  }

  static FlightList list(String reference, List<FlightView> flights) {
    var list = new FlightList();
    list.setReference(reference);
    flights.forEach(each -> list.getFlight().add(offer(each)));
    return list;
  }

  static Reservation reservation(ReservationView view) {
    var reservation = new Reservation();
    reservation.setReference(view.reference());
    reservation.setCode(view.code());
    reservation.setFlight(view.flight());
    reservation.setDate(calendar(view.day()));
    reservation.setTotal(money(view.total()));
    Money fare = money(view.fare());
    for (String passenger : view.tickets()) {
      var ticket = new Ticket();
      ticket.setPassenger(passenger);
      ticket.setFare(fare);
      reservation.getTicket().add(ticket);
    }
    return reservation;
  }

  private static FlightOffer offer(FlightView view) {
    var offer = new FlightOffer();
    offer.setNumber(view.number());
    offer.setAirline(view.airline());
    offer.setOrigin(view.origin());
    offer.setDestination(view.destination());
    offer.setDeparture(calendar(view.departure()));
    offer.setArrival(calendar(view.arrival()));
    offer.setAircraft(view.aircraft());
    offer.setPrice(money(view.price()));
    return offer;
  }

  private static Money money(MoneyView view) {
    var money = new Money();
    money.setValue(view.amount());
    money.setCurrency(view.currency());
    return money;
  }

  private static XMLGregorianCalendar calendar(LocalDate day) {
    return TYPES.newXMLGregorianCalendarDate(
        day.getYear(), day.getMonthValue(), day.getDayOfMonth(), DatatypeConstants.FIELD_UNDEFINED);
  }

  private static XMLGregorianCalendar calendar(LocalDateTime instant) {
    return TYPES.newXMLGregorianCalendar(
        instant.getYear(),
        instant.getMonthValue(),
        instant.getDayOfMonth(),
        instant.getHour(),
        instant.getMinute(),
        instant.getSecond(),
        DatatypeConstants.FIELD_UNDEFINED,
        0);
  }

  private static FlightException lacking(String name) {
    return new FlightException(FlightException.Reason.INCOMPLETE, name);
  }

  private static DatatypeFactory types() {
    try {
      return DatatypeFactory.newInstance();
    } catch (DatatypeConfigurationException e) {
      throw new IllegalStateException("this JVM has no XML data types", e);
    }
  }
}

package steelyard.flight.domain;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import java.time.LocalDate;
import steelyard.flight.view.PassengerView;

/** Who travels on a reservation. */
@Entity
@Table(name = "passenger")
public class Passenger {

  private static final int MOST_CHARACTERS = 200;
  private static final int MOST_PASSPORT = 20;
  private static final int MOST_PHONE = 40;
  private static final int MOST_BAGS = 10;

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "passenger")
  @SequenceGenerator(name = "passenger", sequenceName = "passenger_seq", allocationSize = 100)
  private Long id;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "reservation_id")
  private Reservation reservation;

  @Column(name = "first_name")
  private String firstName;

  @Column(name = "last_name")
  private String lastName;

  @Column(name = "birth_date")
  private LocalDate birthDate;

  private String nationality;
  private String passport;

  @Column(name = "passport_expires")
  private LocalDate passportExpires;

  private String email;
  private String phone;
  private String street;
  private String city;
  private int bags;

  protected Passenger() {}

  /** A passenger of a flight on a day; throws FlightException where nobody such may fly then. */
  Passenger(Reservation reservation, PassengerView view, LocalDate day) {
    require(isWritten(view.firstName(), MOST_CHARACTERS), view);
    require(isWritten(view.lastName(), MOST_CHARACTERS), view);
    require(view.nationality().matches("[A-Z]{2}"), view);
    require(isWritten(view.passport(), MOST_PASSPORT), view);
    require(!view.birthDate().isAfter(day) && !view.passportExpires().isBefore(day), view);
    require(view.email().length() <= MOST_CHARACTERS && view.phone().length() <= MOST_PHONE, view);
    require(view.street().length() <= MOST_CHARACTERS, view);
    require(view.city().length() <= MOST_CHARACTERS, view);
    require(view.bags() >= 0 && view.bags() <= MOST_BAGS, view);
    this.reservation = reservation;
    firstName = view.firstName();
    lastName = view.lastName();
    birthDate = view.birthDate();
    nationality = view.nationality();
    passport = view.passport();
    passportExpires = view.passportExpires();
    email = view.email();
    phone = view.phone();
    street = view.street();
    city = view.city();
    bags = view.bags();
  }

  public String name() {
    return firstName + " " + lastName;
  }

  private static boolean isWritten(String text, int most) {
    return !text.isBlank() && text.length() <= most;
  }

  private static void require(boolean right, PassengerView view) {
    if (!right) {
      throw new FlightException(FlightException.Reason.BAD_PASSENGER, view.passport());
    }
  }
}

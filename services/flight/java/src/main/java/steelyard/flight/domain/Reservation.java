package steelyard.flight.domain;

import jakarta.persistence.AttributeOverride;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import steelyard.flight.view.PassengerView;

/** Seats of a flight instance, for one passenger or for a group. */
@Entity
@Table(name = "reservation")
public class Reservation {

  private static final int MOST_REFERENCE = 200;
  private static final int CODE_CHARACTERS = 12;
  private static final SecureRandom CODES = new SecureRandom();

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "reservation")
  @SequenceGenerator(name = "reservation", sequenceName = "reservation_seq", allocationSize = 50)
  private Long id;

  @Version private int version;
  private String code;
  private String reference;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "flight_instance_id")
  private FlightInstance instance;

  @Embedded
  @AttributeOverride(name = "amount", column = @Column(name = "total"))
  private Money total;

  @OneToMany(mappedBy = "reservation", cascade = CascadeType.PERSIST)
  private List<Passenger> passengers = new ArrayList<>();

  protected Reservation() {}

  /** A reservation of a group's seats; throws FlightException where they cannot be had. */
  public static Reservation of(
      FlightInstance instance, String reference, List<PassengerView> group) {
    if (reference.length() > MOST_REFERENCE) {
      throw new FlightException(FlightException.Reason.INCOMPLETE, "reference");
    }
    var made = new Reservation();
    made.code = newCode();
    made.instance = instance;
    made.reference = reference;
    group.forEach(each -> made.passengers.add(new Passenger(made, each, instance.day())));
    instance.take(group.size());
    made.total = instance.price().times(group.size());
    return made;
  }

  /** A code that nobody has or guesses. */
  private static String newCode() {
    var code = new StringBuilder();
    CODES
        .ints(CODE_CHARACTERS, 0, Character.MAX_RADIX)
        .forEach(
            each ->
                code.append(Character.toUpperCase(Character.forDigit(each, Character.MAX_RADIX))));
    return code.toString();
  }

  public String code() {
    return code;
  }

  public String reference() {
    return reference;
  }

  public FlightInstance instance() {
    return instance;
  }

  public Money total() {
    return total;
  }

  public List<Passenger> passengers() {
    return passengers;
  }
}

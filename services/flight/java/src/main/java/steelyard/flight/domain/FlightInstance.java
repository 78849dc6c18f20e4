package steelyard.flight.domain;

import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.LocalDate;

/** A flight on one day, with its seats. Two transactions that take seats at once collide. */
@Entity
@Table(name = "flight_instance")
public class FlightInstance {

  @Id private Long id;
  @Version private int version;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "flight_id")
  private Flight flight;

  @Column(name = "flown_on")
  private LocalDate day;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "airplane_id")
  private Airplane airplane;

  @Embedded
  @AttributeOverride(name = "amount", column = @Column(name = "price"))
  private Money price;

  private int seats;
  private int taken;

  protected FlightInstance() {}

  public Flight flight() {
    return flight;
  }

  public LocalDate day() {
    return day;
  }

  public Airplane airplane() {
    return airplane;
  }

  public Money price() {
    return price;
  }

  public boolean hasSeats(int wanted) {
    return wanted <= seats - taken;
  }

  /** Takes seats for a whole group; throws FlightException where there are not enough. */
  void take(int wanted) {
    if (!hasSeats(wanted)) {
      throw new FlightException(FlightException.Reason.FULL_FLIGHT, flight.number());
    }
    taken += wanted;
  }
}

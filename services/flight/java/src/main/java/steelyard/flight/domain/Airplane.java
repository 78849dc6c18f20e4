package steelyard.flight.domain;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;

/** One machine of an airline. */
@Entity
@Table(name = "airplane")
@Cacheable
public class Airplane {

  @Id private Long id;
  private String registration;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "aircraft_id")
  private Aircraft aircraft;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "airline_id")
  private Airline airline;

  protected Airplane() {}

  public Aircraft aircraft() {
    return aircraft;
  }
}

package steelyard.flight.domain;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A type of airplane. */
@Entity
@Table(name = "aircraft")
@Cacheable
public class Aircraft {

  @Id private Long id;
  private String model;
  private int seats;

  @Column(name = "kilometres_per_hour")
  private int kilometresPerHour;

  protected Aircraft() {}

  public String model() {
    return model;
  }
}

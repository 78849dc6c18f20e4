package steelyard.flight.domain;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/** What an airline flies day by day under one number; times are of UTC. */
@Entity
@Table(name = "flight")
@Cacheable
public class Flight {

  @Id private Long id;
  private String number;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "airline_id")
  private Airline airline;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "origin_id")
  private Airport origin;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  @JoinColumn(name = "destination_id")
  private Airport destination;

  @Column(name = "departs_minute")
  private int departsMinute;

  @Column(name = "flown_minutes")
  private int flownMinutes;

  @OneToMany(mappedBy = "flight")
  private List<FlightInstance> instances = new ArrayList<>();

  protected Flight() {}

  public String number() {
    return number;
  }

  public Airline airline() {
    return airline;
  }

  public Airport origin() {
    return origin;
  }

  public Airport destination() {
    return destination;
  }

  public List<FlightInstance> instances() {
    return instances;
  }

  /** When the flight of a day leaves. */
  public LocalDateTime departure(LocalDate day) {
    return day.atStartOfDay().plusMinutes(departsMinute);
  }

  /** When the flight of a day is there. */
  public LocalDateTime arrival(LocalDate day) {
    return departure(day).plusMinutes(flownMinutes);
  }
}

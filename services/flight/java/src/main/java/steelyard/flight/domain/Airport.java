package steelyard.flight.domain;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Where flights begin and end. */
@Entity
@Table(name = "airport")
@Cacheable
public class Airport {

  @Id private Long id;
  private String code;
  private String name;
  private String city;
  private String country;
  private BigDecimal latitude;
  private BigDecimal longitude;

  @OneToMany(mappedBy = "origin")
  private List<Flight> departures = new ArrayList<>();

  protected Airport() {}

  public String code() {
    return code;
  }

  public List<Flight> departures() {
    return departures;
  }
}

package steelyard.flight.domain;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;

/** Who flies. */
@Entity
@Table(name = "airline")
@Cacheable
public class Airline {

  @Id private Long id;
  private String code;
  private String name;
  private String country;

  @OneToMany(mappedBy = "airline")
  private List<Flight> flights = new ArrayList<>();

  protected Airline() {}

  public String code() {
    return code;
  }

  public String name() {
    return name;
  }

  public List<Flight> flights() {
    return flights;
  }
}

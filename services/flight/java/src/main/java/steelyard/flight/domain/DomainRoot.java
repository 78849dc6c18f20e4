package steelyard.flight.domain;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;

/**
 * The one object that all others hang on, where the domain is designed so. It counts the
 * reservations, so that each of them changes it.
 */
@Entity
@Table(name = "domain_root")
public class DomainRoot {

  static final Long ID = 1L;

  @Id private Long id;
  @Version private int version;

  @Column(name = "reservations_made")
  private long reservationsMade;

  @OneToMany
  @JoinColumn(name = "root_id")
  private List<Airline> airlines = new ArrayList<>();

  @OneToMany
  @JoinColumn(name = "root_id")
  private List<Airport> airports = new ArrayList<>();

  protected DomainRoot() {}

  List<Airline> airlines() {
    return airlines;
  }

  List<Airport> airports() {
    return airports;
  }

  void countReservation() {
    reservationsMade++;
  }
}

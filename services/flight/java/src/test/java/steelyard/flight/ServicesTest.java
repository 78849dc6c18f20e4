package steelyard.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import steelyard.flight.domain.FlightException;
import steelyard.flight.domain.Reservation;
import steelyard.flight.service.CreateLowPriceReservation;
import steelyard.flight.service.CreateReservation;
import steelyard.flight.service.SearchFlights;
import steelyard.flight.service.ServiceObject;
import steelyard.flight.view.FlightView;
import steelyard.flight.view.PassengerView;
import steelyard.flight.view.ReservationView;

/** The services on a real database with the generator's own data, in both designs of the domain. */
class ServicesTest {

  private static final LocalDate DAY = LocalDate.of(2011, 5, 2);

  private Application application;
  private Connection database;

  private void begin(String url, boolean root, String cache) throws Exception {
    database = DriverManager.getConnection(url, "steelyard", "");
    var generator =
        new ProcessBuilder(
                "python3", "../contract/domain_data.py", "--set", "flights=240", "--set", "days=4")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String state = new String(generator.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(generator.waitFor()).isZero();
    try (Statement statement = database.createStatement()) {
      statement.execute(state);
    }
    application = new Application(new Settings(Database.H2, url, "", root, cache));
  }

  private void begin(boolean root) throws Exception {
    begin("jdbc:h2:mem:" + System.nanoTime(), root, "off");
  }

  @AfterEach
  void end() throws SQLException {
    if (application != null) {
      application.close();
    }
    if (database != null) {
      database.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSearchFindsTheFlightsOfADayCheapestFirstAndWritesNothing(boolean root) throws Exception {
    begin(root);
    String before = contents();
    List<FlightView> found = run(search());
    assertThat(found)
        .isNotEmpty()
        .isSortedAccordingTo(Comparator.comparing(each -> each.price().amount()))
        .allMatch(each -> each.departure().toLocalDate().equals(DAY))
        .allMatch(each -> each.arrival().isAfter(each.departure()));
    assertThat(run(new SearchFlights("LIS", "LIS", DAY))).isEmpty();
    assertThat(contents()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "true,off",
    "false,off",
    "true,read-only",
    "false,read-only",
    "true,read-write",
    "false,read-write"
  })
  void aGroupsReservationTakesItsSeatsAndHasATicketForEach(boolean root, String cache)
      throws Exception {
    begin("jdbc:h2:mem:" + System.nanoTime(), root, cache);
    String number = number("taken = 0");
    for (int round = 0; round < 2; round++) {
      ReservationView made = run(new CreateReservation("mine", number, DAY, group(120)));
      assertThat(made.code()).matches("[A-Z0-9]{6,13}");
      assertThat(made.tickets()).hasSize(120).startsWith("Ada Moreira0");
      assertThat(made.total().amount())
          .isEqualByComparingTo(made.fare().amount().multiply(java.math.BigDecimal.valueOf(120)));
    }
    assertThat(one("SELECT count(DISTINCT code) FROM reservation")).isEqualTo("2");
    assertThat(one("SELECT count(*) FROM passenger")).isEqualTo("240");
    assertThat(one("SELECT sum(taken) FROM flight_instance WHERE taken < seats")).isEqualTo("240");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theLowPriceIsThatOfTheCheapestFlightWithASeat(boolean root) throws Exception {
    begin(root);
    SearchFlights search = search();
    FlightView cheapest = run(search).get(0);
    var asked =
        new CreateLowPriceReservation(
            "mine", search.origin(), search.destination(), DAY, group(1).get(0));
    assertThat(run(asked).flight()).isEqualTo(cheapest.number());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCannotBeFulfilledIsToldAndWritesNothing(boolean root) throws Exception {
    begin(root);
    String before = contents();
    String free = number("taken = 0");
    List<ServiceObject<?>> wrong =
        List.of(
            new SearchFlights("QQQ", "LIS", DAY),
            new SearchFlights("LIS", "QQQ", DAY),
            new SearchFlights("LIS", "LIS", DAY.minusDays(1)),
            new CreateReservation("mine", "QQ0000", DAY, group(1)),
            new CreateReservation("mine", free, DAY.minusDays(1), group(1)),
            new CreateReservation("mine", soldOut(), LocalDate.parse(soldOutDay()), group(1)),
            new CreateReservation("mine", free, DAY, List.of(passenger("x".repeat(300)))),
            new CreateReservation("x".repeat(201), free, DAY, group(1)));
    var reasons =
        wrong.stream()
            .map(each -> ((FlightException) catchThrowable(() -> run(each))).reason().word());
    assertThat(reasons)
        .containsExactly(
            "unknown-airport",
            "unknown-airport",
            "no-such-date",
            "unknown-flight",
            "unknown-flight",
            "full-flight",
            "bad-passenger",
            "incomplete");
    assertThat(contents()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({"true,true", "false,false"})
  void twoReservationsOfDifferentFlightsAtOnceCollideOnTheRootAlone(boolean root, boolean collide)
      throws Exception {
    begin(root);
    String inner = number("taken = 0");
    String outer = number("taken = 0 AND number <> '" + inner + "'");
    ServiceObject<String> interrupted =
        domain -> {
          var made = Reservation.of(domain.flight(outer, DAY), "outer", group(1));
          run(
              new CreateReservation(
                  "inner", inner, DAY, group(1))); // meanwhile, in another transaction
          domain.keep(made);
          return made.code();
        };
    if (collide) {
      assertThatThrownBy(() -> run(interrupted)).hasMessageContaining("DomainRoot");
    } else {
      assertThat(run(interrupted)).isNotBlank();
    }
    assertThat(one("SELECT count(*) FROM reservation")).isEqualTo(collide ? "1" : "2");
  }

  private <R> R run(ServiceObject<R> object) {
    return application.services().run(object);
  }

  private SearchFlights search() throws SQLException {
    String[] pair =
        one("SELECT o.code || ' ' || d.code FROM flight f JOIN airport o ON o.id = origin_id JOIN airport d ON d.id = destination_id"
                + " JOIN flight_instance i ON i.flight_id = f.id WHERE flown_on = '2011-05-02' AND taken = 0"
                + " GROUP BY o.code, d.code ORDER BY count(*) DESC LIMIT 1")
            .split(" ");
    return new SearchFlights(pair[0], pair[1], DAY);
  }

  private String number(String where) throws SQLException {
    return one(
        "SELECT number FROM flight f JOIN flight_instance i ON flight_id = f.id WHERE flown_on = '2011-05-02' AND "
            + where
            + " ORDER BY number LIMIT 1");
  }

  private String soldOut() throws SQLException {
    return one(
        "SELECT number FROM flight f JOIN flight_instance i ON flight_id = f.id WHERE taken = seats ORDER BY i.id LIMIT 1");
  }

  private String soldOutDay() throws SQLException {
    return one("SELECT flown_on FROM flight_instance WHERE taken = seats ORDER BY id LIMIT 1");
  }

  /** All that a request could change, as text. */
  private String contents() throws SQLException {
    return one("SELECT count(*) FROM reservation")
        + one("SELECT count(*) FROM passenger")
        + one("SELECT sum(taken) || ' ' || sum(version) FROM flight_instance")
        + one("SELECT version || ' ' || reservations_made FROM domain_root");
  }

  private String one(String query) throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static List<PassengerView> group(int size) {
    return IntStream.range(0, size).mapToObj(place -> passenger("Moreira" + place)).toList();
  }

  private static PassengerView passenger(String lastName) {
    return new PassengerView(
        "Ada",
        lastName,
        LocalDate.of(1975, 2, 28),
        "PT",
        "P123456789",
        LocalDate.of(2015, 1, 1),
        "ada@post.example",
        "+351 123456789",
        "Rua A 1",
        "Evora",
        1);
  }
}

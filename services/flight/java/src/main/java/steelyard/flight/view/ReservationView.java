package steelyard.flight.view;

import java.time.LocalDate;
import java.util.List;

/** A reservation that was made; `tickets` are the passengers' names, `fare` is what each pays. */
public record ReservationView(
    String reference,
    String code,
    String flight,
    LocalDate day,
    MoneyView total,
    MoneyView fare,
    List<String> tickets) {}

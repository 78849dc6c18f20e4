package steelyard.flight.view;

import java.time.LocalDateTime;

/** A flight of a day, as whoever asks sees it. */
public record FlightView(
    String number,
    String airline,
    String origin,
    String destination,
    LocalDateTime departure,
    LocalDateTime arrival,
    String aircraft,
    MoneyView price) {}

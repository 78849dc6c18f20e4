package steelyard.flight.view;

import java.time.LocalDate;

/** A passenger as a request gives one. */
public record PassengerView(
    String firstName,
    String lastName,
    LocalDate birthDate,
    String nationality,
    String passport,
    LocalDate passportExpires,
    String email,
    String phone,
    String street,
    String city,
    int bags) {}

package steelyard.wstest.rmi;

import java.io.Serializable;

/** Where a bill or a parcel goes. */
public record Address(String street, String city, String state, String postalCode, String country)
    implements Serializable {}

package steelyard.soakit.service;

import java.math.BigDecimal;
import java.math.BigInteger;

/** Values from texts, as the schema's types mean them. */
final class Values {

  private Values() {}

  static BigDecimal decimal(String text) {
    try {
      return new BigDecimal(text.strip());
    } catch (NumberFormatException noNumber) {
      throw new BadDocument("'" + shortened(text) + "' is no number", noNumber);
    }
  }

  static BigInteger integer(String text) {
    try {
      return new BigInteger(text.strip());
    } catch (NumberFormatException noNumber) {
      throw new BadDocument("'" + shortened(text) + "' is no whole number", noNumber);
    }
  }

  private static String shortened(String text) {
    return text.length() > 40 ? text.substring(0, 40) : text;
  }
}

package steelyard.cxf.security;

import java.util.Arrays;

/** What is done to the body of each message. */
enum Protection {
  SIGNED("signed", "Signature", true, false),
  ENCRYPTED("encrypted", "Encryption", false, true),
  SIGNED_ENCRYPTED("signed-encrypted", "Signature Encryption", true, true);

  private final String format;
  private final String actions;
  private final boolean signed;
  private final boolean encrypted;

  Protection(String format, String actions, boolean signed, boolean encrypted) {
    this.format = format;
    this.actions = actions;
    this.signed = signed;
    this.encrypted = encrypted;
  }

  /** The protection that a message format asks for. */
  static Protection of(String format) {
    return Arrays.stream(values())
        .filter(protection -> protection.format.equals(format))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("STEELYARD_FORMAT asks for no protection: " + format));
  }

  /** The actions of WSS4J, in the order in which they are taken. */
  String actions() {
    return actions;
  }

  boolean signed() {
    return signed;
  }

  boolean encrypted() {
    return encrypted;
  }
}

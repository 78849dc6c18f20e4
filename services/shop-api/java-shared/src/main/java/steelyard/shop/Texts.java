package steelyard.shop;

/**
 * Forms of texts, for {@code @Pattern}. The bounds of {@code @Size} count UTF-16 units; those of a
 * pattern count characters, as the contract does. No form has the character 0, which PostgreSQL
 * does not keep, or half of a surrogate pair, which is no character.
 */
public final class Texts {

  public static final String UP_TO_20 = "[^\\x00\\p{Cs}]{1,20}";
  public static final String UP_TO_30 = "[^\\x00\\p{Cs}]{1,30}";
  public static final String UP_TO_100 = "[^\\x00\\p{Cs}]{1,100}";
  public static final String UP_TO_200 = "[^\\x00\\p{Cs}]{1,200}";
  public static final String UP_TO_500_OR_EMPTY = "[^\\x00\\p{Cs}]{0,500}";
  public static final String EMAIL = "[^@\\s]+@[^@\\s]+";
  public static final String COUNTRY = "[A-Z]{2}";

  private Texts() {}
}

package steelyard.rmi;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.time.LocalDate;

/** How JSON is read and written: the lab's files and lines, and values of a contract. */
final class Json {

  private static final int DEEP = 1000; // a list of the contract nests an object an item

  /** The lab's: names_with_lines, and no key that nobody knows. */
  static final ObjectMapper OF_THE_LAB =
      JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();

  /**
   * A contract's values: what is null is left out, a date is a text, not a number a text, and
   * whatever is not said exactly is refused.
   */
  static final ObjectMapper OF_VALUES =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEP)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .addModule(new SimpleModule().addSerializer(LocalDate.class, ToStringSerializer.instance))
          .build();

  private Json() {}

  /** A value on one line. */
  static String line(Object value) {
    try {
      return OF_THE_LAB.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("values of our own are JSON", e);
    }
  }

  /** What was wrong with a document, in few words. */
  static String words(JsonProcessingException error) {
    return error.getOriginalMessage().lines().findFirst().orElse("it cannot be read");
  }
}

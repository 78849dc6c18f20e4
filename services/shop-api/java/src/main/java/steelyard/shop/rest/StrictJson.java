package steelyard.shop.rest;

import jakarta.json.JsonNumber;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.JsonbException;
import jakarta.json.bind.serializer.DeserializationContext;
import jakarta.json.bind.serializer.JsonbDeserializer;
import jakarta.json.stream.JsonParser;
import jakarta.ws.rs.ext.ContextResolver;
import jakarta.ws.rs.ext.Provider;
import java.lang.reflect.Type;

/**
 * JSON Binding for all requests. As shipped it converts values: a text to a number, 1.5 to 1, a
 * number to a text. Its deserializers here take a value of the right type only.
 */
@Provider
public class StrictJson implements ContextResolver<Jsonb> {

  private final Jsonb jsonb =
      JsonbBuilder.create(
          new JsonbConfig()
              .withDeserializers(
                  new TextReader(),
                  new WholeNumberReader(),
                  new NumberReader(),
                  new TruthValueReader()));

  @Override
  public Jsonb getContext(Class<?> type) {
    return jsonb;
  }

  private static JsonbException notOfType(JsonValue value, String type) {
    return new JsonbException(value.getValueType() + " where " + type + " is due");
  }

  /** Reads a text. */
  public static final class TextReader implements JsonbDeserializer<String> {
    @Override
    public String deserialize(JsonParser parser, DeserializationContext context, Type type) {
      JsonValue value = parser.getValue();
      if (value instanceof JsonString text) {
        return text.getString();
      }
      throw notOfType(value, "a text");
    }
  }

  /** Reads a whole number of at most 64 bits. */
  public static final class WholeNumberReader implements JsonbDeserializer<Long> {
    @Override
    public Long deserialize(JsonParser parser, DeserializationContext context, Type type) {
      JsonValue value = parser.getValue();
      if (value instanceof JsonNumber number && number.isIntegral()) {
        try {
          return number.longValueExact();
        } catch (ArithmeticException tooLarge) {
          throw new JsonbException("a number of more than 64 bits", tooLarge);
        }
      }
      throw notOfType(value, "a whole number");
    }
  }

  /** Reads a number. */
  public static final class NumberReader implements JsonbDeserializer<Double> {
    @Override
    public Double deserialize(JsonParser parser, DeserializationContext context, Type type) {
      JsonValue value = parser.getValue();
      if (value instanceof JsonNumber number) {
        return number.doubleValue();
      }
      throw notOfType(value, "a number");
    }
  }

  /** Reads true or false. */
  public static final class TruthValueReader implements JsonbDeserializer<Boolean> {
    @Override
    public Boolean deserialize(JsonParser parser, DeserializationContext context, Type type) {
      JsonValue value = parser.getValue();
      return switch (value.getValueType()) {
        case TRUE -> true;
        case FALSE -> false;
        default -> throw notOfType(value, "a truth value");
      };
    }
  }
}

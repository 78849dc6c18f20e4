package steelyard.shop.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import steelyard.shop.Message;

class StrictJsonTest {

  record Values(String text, Long whole, Double number, Boolean truth, List<String> texts) {}

  private static final ObjectMapper MAPPER = new ObjectMapper();

  static {
    new StrictJson().customize(MAPPER);
  }

  private static Values read(String json) throws Exception {
    return MAPPER.readValue(json.getBytes(StandardCharsets.UTF_8), Values.class);
  }

  @Test
  void valuesOfTheirTypesAreRead() throws Exception {
    assertThat(
            read(
                """
                {"text": "\\u00e9 \\ud83d\\ude00", "whole": 3, "number": 15e-1, "truth": true, "texts": ["a"]}
                """))
        .isEqualTo(new Values("é 😀", 3L, 1.5, true, List.of("a")));
  }

  @Test
  void aWholeNumberIsANumber() throws Exception {
    assertThat(read("{\"number\": 15}").number()).isEqualTo(15);
  }

  @Test
  void aMissingKeyIsNull() throws Exception {
    assertThat(read("{}")).isEqualTo(new Values(null, null, null, null, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"text\": 1}",
        "{\"text\": 1.5}",
        "{\"text\": true}",
        "{\"text\": [\"a\"]}",
        "{\"text\": {}}",
        "{\"whole\": \"1\"}",
        "{\"whole\": \"\"}",
        "{\"whole\": 1.5}",
        "{\"whole\": true}",
        "{\"whole\": 9223372036854775808}",
        "{\"number\": \"1\"}",
        "{\"number\": false}",
        "{\"truth\": \"true\"}",
        "{\"truth\": 1}",
        "{\"truth\": 0.5}",
        "{\"texts\": \"a\"}",
        "{\"texts\": [1]}",
        "[1]",
        "1",
        "{'text': 'a'}",
        "{\"text\": NaN}",
        "{\"number\": NaN}",
        "{} {}",
        "{",
      })
  void whatHasAnotherTypeOrIsNotOneDocumentIsRefused(String json) {
    assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> read(json));
  }

  @Test
  void textsThatAreNotUtf8AreRefused() {
    byte[] body = {'{', '"', 't', 'e', 'x', 't', '"', ':', '"', (byte) 0xff, '"', '}'};

    assertThatExceptionOfType(JacksonException.class)
        .isThrownBy(() -> MAPPER.readValue(body, Message.class));
  }
}

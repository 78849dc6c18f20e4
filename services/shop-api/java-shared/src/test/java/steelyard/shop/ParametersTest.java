package steelyard.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class ParametersTest {

  @Test
  void idsAreReadInTheirOrder() {
    assertThat(Parameters.id("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(Parameters.ids("3,1,2")).containsExactly(3L, 1L, 2L);
    assertThat(Parameters.ids("1,".repeat(99) + "1")).hasSize(100);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {"", "0", "-1", "one", "1.0", " 1", "1 ", "9223372036854775808", "١", "1e3"})
  void whatIsNoPositiveNumberIsNotValid(String text) {
    assertThatExceptionOfType(RefusalException.class).isThrownBy(() -> Parameters.id(text));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", ",", "1,", ",1", "1,,2", "1,two"})
  void whatIsNoListOfIdsIsNotValid(String text) {
    assertThatExceptionOfType(RefusalException.class).isThrownBy(() -> Parameters.ids(text));
  }

  @Test
  void moreThanAHundredIdsAreNotValid() {
    String tooMany = "1,".repeat(100) + "1";

    assertThatExceptionOfType(RefusalException.class).isThrownBy(() -> Parameters.ids(tooMany));
  }

  @Test
  void aKeywordIsATextOfOneToAHundredCharacters() {
    assertThat(Parameters.keyword("' OR 1=1 %")).isEqualTo("' OR 1=1 %");
    for (String wrong : new String[] {null, "", "\u0000", "k".repeat(101)}) {
      assertThatExceptionOfType(RefusalException.class).isThrownBy(() -> Parameters.keyword(wrong));
    }
  }
}

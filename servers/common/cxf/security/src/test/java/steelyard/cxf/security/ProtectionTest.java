package steelyard.cxf.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ProtectionTest {

  @Test
  void eachFormatHasItsActions() {
    assertThat(Protection.of("signed").actions()).isEqualTo("Signature");
    assertThat(Protection.of("encrypted").actions()).isEqualTo("Encryption");
    assertThat(Protection.of("signed-encrypted").actions()).isEqualTo("Signature Encryption");
    for (Protection protection : Protection.values()) {
      assertThat(protection.actions().contains("Signature")).isEqualTo(protection.signed());
      assertThat(protection.actions().contains("Encryption")).isEqualTo(protection.encrypted());
    }
  }

  @Test
  void aServerThatWouldProtectNothingDoesNotStart() {
    for (String format : new String[] {"soap", "", null}) {
      assertThatThrownBy(() -> Protection.of(format))
          .hasMessageContaining("asks for no protection");
    }
  }
}

package steelyard.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {

  @Test
  void theyHaveTheDefaultsOfTheContract() {
    var settings = Settings.from(Map.of("STEELYARD_PORT_DATABASE", "5432"));

    assertThat(settings).isEqualTo(new Settings("127.0.0.1", 5432, "", 16, true, "read-committed"));
    assertThat(settings.jdbcIsolation()).isEqualTo("TRANSACTION_READ_COMMITTED");
    assertThat(settings.jdbcUrl()).isEqualTo("jdbc:postgresql://127.0.0.1:5432/steelyard");
  }

  @Test
  void theyFollowTheVariables() {
    var settings =
        Settings.from(
            Map.of(
                "STEELYARD_HOST", "127.0.0.2",
                "STEELYARD_PORT_DATABASE", "1",
                "STEELYARD_PASSWORD", "secret",
                "STEELYARD_POOL", "3",
                "STEELYARD_PREPARED", "off",
                "STEELYARD_ISOLATION", "repeatable-read"));

    assertThat(settings)
        .isEqualTo(new Settings("127.0.0.2", 1, "secret", 3, false, "repeatable-read"));
    assertThat(settings.jdbcIsolation()).isEqualTo("TRANSACTION_REPEATABLE_READ");
    assertThat(settings.jdbcUrl()).endsWith("/steelyard?prepareThreshold=0");
  }

  @Test
  void aWrongVariableIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Settings.from(Map.of()))
        .withMessage("STEELYARD_PORT_DATABASE is not set");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Settings.from(Map.of("STEELYARD_PORT_DATABASE", "1", "STEELYARD_POOL", "few")))
        .withMessage("STEELYARD_POOL is 'few', not a whole number");
  }
}

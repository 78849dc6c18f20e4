package steelyard.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {

  @Test
  void theDatabaseIsTheSubjectsOwnAndTheDesignIsTheRootUnlessSaidOtherwise() {
    Settings usual =
        Settings.of(Map.of("STEELYARD_PORT_DATABASE", "20001", "STEELYARD_PASSWORD", "secret"));
    assertThat(usual.url()).isEqualTo("jdbc:h2:tcp://127.0.0.1:20001/./steelyard");
    assertThat(usual.root()).isTrue();
    assertThat(usual.cache()).isEqualTo("off");
    Settings other =
        Settings.of(
            Map.of(
                "STEELYARD_PORT_DATABASE",
                "20002",
                "STEELYARD_DATABASE",
                "postgres",
                "STEELYARD_DOMAIN",
                "plain"));
    assertThat(other.url()).isEqualTo("jdbc:postgresql://127.0.0.1:20002/steelyard");
    assertThat(other.root()).isFalse();
  }

  @Test
  void whatMakesNoSenseIsTold() {
    assertThatThrownBy(() -> Settings.of(Map.of())).hasMessageContaining("role of database");
    assertThatThrownBy(
            () -> Settings.of(Map.of("STEELYARD_PORT_DATABASE", "1", "STEELYARD_DOMAIN", "tree")))
        .hasMessageContaining("'tree'");
  }

  @Test
  void aDatabaseThatIsAwayIsToldAtOnceAndAsSuch() throws IOException {
    int nobody;
    try (var free = new ServerSocket(0)) {
      nobody = free.getLocalPort();
    }
    var away = Settings.of(Map.of("STEELYARD_PORT_DATABASE", String.valueOf(nobody)));
    assertThatThrownBy(() -> new Application(away)).hasStackTraceContaining("Connection refused");
  }
}

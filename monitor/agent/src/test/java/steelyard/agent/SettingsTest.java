package steelyard.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {

  @TempDir Path folder;

  @Test
  void anArgumentIsAFileOrSettingsAndTheNearerOneHolds() throws IOException {
    Path file = folder.resolve("agent.properties");
    Files.writeString(
        file, "si = com.example.*Service, com.example.Orders#place\noff = jms http\n");

    assertThat(Settings.of(file.toString(), "records").services())
        .containsExactly("com.example.*Service", "com.example.Orders#place");
    Settings nearer = Settings.of("off=hibernate+jdbc,settings=" + file, null);
    assertThat(nearer.off()).containsExactly("hibernate", "jdbc");
    assertThat(nearer.services()).hasSize(2);
    assertThat(nearer.records()).isNull();
  }

  @Test
  void whatIsNotKnownIsNamedWithWhatIs() {
    assertThatThrownBy(() -> Settings.of("recods=/tmp", null))
        .hasMessageContaining("'recods'")
        .hasMessageContaining("records");
    assertThatThrownBy(() -> Settings.of("off=web", null))
        .hasMessageContaining("'web'")
        .hasMessageContaining("filter");
  }

  @Test
  void theArgumentsFolderHoldsBeforeTheEnvironments() throws IOException {
    assertThat(Settings.of("records=mine", "other").records()).isEqualTo(Path.of("mine"));
    assertThat(Settings.of(null, "other").records()).isEqualTo(Path.of("other"));
  }
}

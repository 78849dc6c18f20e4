package steelyard.flight.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExtensionsTest {

  private static final List<String> SEEN = new ArrayList<>();

  /** Notes when a call passes. */
  public static class First implements Interceptor {
    @Override
    public <R> R around(String name, Supplier<R> rest) {
      SEEN.add(getClass().getSimpleName() + " " + name);
      return rest.get();
    }
  }

  /** Another one. */
  public static class Second extends First {}

  @BeforeEach
  void forget() {
    SEEN.clear();
  }

  @Test
  void interceptorsGoAroundACallInTheOrderOfTheFile() {
    Extensions made = of("service", Second.class.getName() + ", " + First.class.getName());
    assertThat(made.aroundService("search", () -> SEEN.size())).isEqualTo(2);
    assertThat(SEEN).containsExactly("Second search", "First search");
    made.aroundWebService("search", () -> 1);
    assertThat(SEEN).hasSize(2);
  }

  @Test
  void aFileThatMakesNoSenseIsTold() {
    assertThatThrownBy(() -> of("service", "no.such.Interceptor"))
        .hasMessageContaining("no.such.Interceptor");
    assertThatThrownBy(() -> of("service", "java.lang.String"))
        .hasMessageContaining("no interceptor");
    assertThatThrownBy(() -> of("sevrice", "")).hasMessageContaining("sevrice");
  }

  @Test
  void theApplicationsOwnFileIsRight() {
    assertThat(Extensions.ofApplication().aroundService("search", () -> 7)).isEqualTo(7);
  }

  private static Extensions of(String key, String value) {
    var names = new Properties();
    names.setProperty(key, value);
    return Extensions.of(names);
  }
}

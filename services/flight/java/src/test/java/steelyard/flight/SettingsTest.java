package steelyard.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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
    Settings third =
        Settings.of(Map.of("STEELYARD_PORT_DATABASE", "20003", "STEELYARD_DATABASE", "mariadb"));
    assertThat(third.url()).isEqualTo("jdbc:mariadb://127.0.0.1:20003/steelyard");
    assertThat(third.database().driver()).isEqualTo("org.mariadb.jdbc.Driver");
  }

  @Test
  void whatStandsBeforeTheDatabaseIsAskedInItsPlaceAndNothingIsLoggedUnlessSaidOtherwise() {
    Settings usual = Settings.of(Map.of("STEELYARD_PORT_DATABASE", "20001"));
    assertThat(usual.logLevel()).isEqualTo("off");
    assertThat(usual.lazyIsTheServices()).isFalse();
    Settings other =
        Settings.of(
            Map.of(
                "STEELYARD_PORT_DATABASE",
                "20001",
                "STEELYARD_PORT_LINK",
                "20002",
                "STEELYARD_LOG_LEVEL",
                "debug",
                "STEELYARD_LAZY_LOADING",
                "service"));
    assertThat(other.url()).isEqualTo("jdbc:h2:tcp://127.0.0.1:20002/./steelyard");
    assertThat(other.logLevel()).isEqualTo("debug");
    assertThat(other.lazyIsTheServices()).isTrue();
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

  @Test
  void theApplicationIsMadeAsItIsDeployedAndDeployedWhereItCannotBe() {
    var said = new ArrayList<String>();
    var listener =
        new Handler() {
          @Override
          public void publish(LogRecord one) {
            said.add(one.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(Application.class.getName());
    log.addHandler(listener);
    try {
      new Application().contextInitialized(new ServletContextEvent(anything(ServletContext.class)));
    } finally {
      log.removeHandler(listener);
    }
    assertThat(said).anyMatch(one -> one.contains("no process in the role of database"));
  }

  /** An object that does nothing, and gives more of its kind. */
  private static <T> T anything(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                method.getReturnType().isInterface() ? anything(method.getReturnType()) : null));
  }
}

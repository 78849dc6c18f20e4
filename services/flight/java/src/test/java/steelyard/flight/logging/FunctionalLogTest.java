package steelyard.flight.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.LogManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FunctionalLogTest {

  @TempDir private Path folder;

  @Test
  void itHoldsWhatIsOfItsLevelOrAboveAndTellsItsBytes() throws IOException {
    Path file = folder.resolve("flight.log");
    Path gauges = folder.resolve("gauges.csv");
    try (FunctionalLog log = FunctionalLog.at("warn", file, gauges.toString())) {
      LogManager.getLogger("a").info("not this");
      LogManager.getLogger("a").warn("but that");
      log.tell();
      log.tell();
      assertThat(log.written()).isEqualTo(Files.size(file));
    }
    assertThat(Files.readString(file)).contains("but that").doesNotContain("not this");
    assertThat(Files.readString(gauges))
        .matches("name,value,time_ns\nlog_bytes," + Files.size(file) + ",\\d+\nlog_bytes,0,\\d+\n");
  }

  @Test
  void offItMakesNoFileAndTellsNothing() throws IOException {
    Path gauges = folder.resolve("gauges.csv");
    try (FunctionalLog log =
        FunctionalLog.at(FunctionalLog.OFF, folder.resolve("flight.log"), gauges.toString())) {
      LogManager.getLogger("a").fatal("nobody reads this");
      log.tell();
      assertThat(log.written()).isZero();
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void onceItIsClosedNothingIsLogged() throws IOException {
    Path file = folder.resolve("flight.log");
    FunctionalLog.at("trace", file, "").close();
    LogManager.getLogger("a").fatal("too late");
    assertThat(file).isEmptyFile();
  }

  @Test
  void aLevelThatThereIsNotIsTold() {
    assertThatThrownBy(() -> FunctionalLog.at("loud", folder.resolve("flight.log"), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("LOUD");
  }

  @Test
  void aFileBeginsAnewAtItsBoundAndAllThatWasWrittenCounts() throws IOException {
    Path path = folder.resolve("bounded");
    try (var file = new BoundedFile(path, 10)) {
      file.write("sixsix".getBytes());
      file.write("seven77".getBytes());
      assertThat(file.written()).isEqualTo(13);
    }
    assertThat(path).hasContent("seven77");
  }
}

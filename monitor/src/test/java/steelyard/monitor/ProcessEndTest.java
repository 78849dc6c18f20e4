package steelyard.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import steelyard.monitor.Records.Request;

@Timeout(60)
class ProcessEndTest {

  @TempDir Path folder;

  @Test
  void sigtermWritesWhatIsLeftAndAChangeOfThreadIsAViolationOfBoth() throws Exception {
    Process process = serving(folder, 1000);
    process.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();

    List<Request> all = Records.in(folder);
    assertThat(all.stream().filter(each -> each.violations() == 0)).hasSize(1000);
    assertThat(all.stream().map(Request::violations).filter(each -> each != 0))
        .containsExactlyInAnyOrder(Crossings.EXIT_WITHOUT_ENTER, Crossings.LEFT_THREAD);
    assertThat(Records.end(folder))
        .contains("\"records\":1002,\"lost\":0,\"violations\":2,\"open\":0");
  }

  @Test
  void sigkillLeavesWhatWasWritten() throws Exception {
    Process process = serving(folder, 20_000);
    process.destroyForcibly();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();

    List<Request> all = Records.in(folder);
    assertThat(all).hasSizeBetween(15_000, 20_001);
    assertThat(all.get(all.size() - 1).contexts())
        .containsEntry("filter_number", "" + (all.size() - 2));
  }

  @Test
  void withoutAFolderNothingIsRecorded() throws Exception {
    Process process = serving(null, 10);
    process.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void whereAnAgentRecordsTheLibraryDoesNot() throws Exception {
    Process process = serving(folder, 10, "-D" + Monitor.AGENT + "=on");
    process.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(folder).isEmptyDirectory();
  }

  private Process serving(Path records, int requests) throws IOException {
    return serving(records, requests, "-Dno=option");
  }

  private Process serving(Path records, int requests, String option) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            option,
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            ServingProcess.class.getName(),
            Integer.toString(requests));
    builder.environment().remove(Monitor.RECORDS);
    if (records != null) {
      builder.environment().put(Monitor.RECORDS, records.toString());
    }
    builder.redirectErrorStream(true).directory(folder.toFile());
    Process process = builder.start();
    BufferedReader said = process.inputReader();
    assertThat(said.readLine()).isEqualTo("served");
    return process;
  }
}

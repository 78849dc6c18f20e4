package steelyard.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import steelyard.monitor.Records.Request;

class MonitorTest {

  @TempDir Path folder;

  @BeforeAll
  static void recordingsOfTheseTestsBeginWithinTheProcess(@TempDir Path first) {
    Monitor.start(first);
    Monitor.stop();
  }

  @BeforeEach
  void start() {
    Monitor.start(folder);
  }

  @AfterEach
  void stop() {
    Monitor.stop();
  }

  @Test
  void aRequestIsOneRecordWithTheTimeOfEachLayer() throws Exception {
    Monitor.enter("filter");
    Monitor.context("filter", "name", "search");
    Monitor.enter("si");
    TimeUnit.MILLISECONDS.sleep(2);
    Monitor.exit("si");
    Monitor.enter("si");
    Monitor.exit("si");
    Monitor.exit("filter");

    Request only = recorded().get(0);
    assertThat(only.violations()).isZero();
    assertThat(only.layers().keySet()).containsExactly("filter", "si");
    assertThat(only.layers().get("si").entries()).isEqualTo(2);
    assertThat(only.layers().get("si").total()).isGreaterThanOrEqualTo(2_000_000);
    assertThat(only.layers().get("filter").total()).isGreaterThan(only.layers().get("si").total());
    assertThat(only.selfSum()).isEqualTo(only.layers().get("filter").total());
    assertThat(only.contexts()).containsEntry("filter_name", "search");
    assertThat(Records.end(folder))
        .contains("\"records\":1,\"lost\":0,\"violations\":0,\"open\":0");
  }

  @Test
  void aLayerWithinItselfIsCountedOnce() throws Exception {
    Monitor.enter("hibernate");
    Monitor.enter("reads");
    Monitor.enter("hibernate");
    TimeUnit.MILLISECONDS.sleep(1);
    Monitor.exit("hibernate");
    Monitor.exit("reads");
    Monitor.exit("hibernate");

    Request only = recorded().get(0);
    Records.Layer hibernate = only.layers().get("hibernate");
    Records.Layer reads = only.layers().get("reads");
    assertThat(hibernate.entries()).isEqualTo(2);
    assertThat(hibernate.total()).isGreaterThan(reads.total());
    assertThat(hibernate.self() + reads.self()).isEqualTo(hibernate.total());
    assertThat(reads.self()).isLessThan(reads.total() - 900_000);
  }

  @Test
  void aLayerThatCallsItselfHasAllOfItsTimeAndWhatAnExceptionLeavesOpenWithinItIsAViolation()
      throws Exception {
    Monitor.enter("filter");
    Monitor.enter("hibernate");
    Monitor.enter("hibernate");
    TimeUnit.MILLISECONDS.sleep(1);
    Monitor.enter("reads");
    TimeUnit.MILLISECONDS.sleep(1);
    Monitor.exit("reads");
    Monitor.enter("hibernate");
    TimeUnit.MILLISECONDS.sleep(1);
    Monitor.exit("hibernate");
    Monitor.exit("hibernate");
    Monitor.exit("hibernate");
    Monitor.exit("filter");
    Monitor.enter("filter");
    Monitor.enter("hibernate");
    Monitor.enter("hibernate");
    Monitor.enter("reads"); // left open
    Monitor.exit("hibernate");
    Monitor.exit("hibernate");
    Monitor.exit("filter");

    Request first = recorded().get(0);
    Records.Layer hibernate = first.layers().get("hibernate");
    assertThat(first.violations()).isZero();
    assertThat(hibernate.entries()).isEqualTo(3);
    assertThat(hibernate.self()).isGreaterThanOrEqualTo(2_000_000);
    assertThat(hibernate.total()).isEqualTo(hibernate.self() + first.layers().get("reads").total());
    assertThat(first.selfSum()).isEqualTo(first.layers().get("filter").total());
    Request second = recorded().get(1);
    assertThat(second.violations()).isEqualTo(Crossings.LEFT_OPEN);
    assertThat(second.selfSum()).isEqualTo(second.layers().get("filter").total());
  }

  @Test
  void aRequestThatChangesThreadIsAViolationOnBothAndTheThreadServesOn() throws Exception {
    Monitor.enter("filter");
    Monitor.exit("filter"); // this thread has served before
    Thread other =
        new Thread(
            () -> {
              Monitor.enter("si");
              Monitor.exit("si");
              Monitor.exit("filter"); // entered by the first thread
            });
    Monitor.enter("filter");
    other.start();
    other.join();
    for (int i = 0; i < 3; i++) {
      Monitor.enter("filter");
      Monitor.exit("filter");
    }

    List<Request> all = recorded();
    assertThat(all.stream().filter(each -> each.violations() == Crossings.LEFT_THREAD)).hasSize(1);
    assertThat(all.stream().filter(each -> each.violations() == Crossings.EXIT_WITHOUT_ENTER))
        .hasSize(1);
    assertThat(
            all.stream()
                .filter(each -> each.violations() == 0 && each.layers().containsKey("filter")))
        .hasSize(4)
        .allMatch(each -> each.layers().get("filter").entries() == 1);
  }

  @Test
  void aRequestThatAnotherThreadEndedCostsNoOtherRequestItsRecord() throws Exception {
    Monitor.enter("filter"); // never comes back to this thread
    Thread other =
        new Thread(
            () -> {
              Monitor.enter("filter");
              Monitor.exit("filter");
              Monitor.exit("filter"); // of the first thread
              for (int i = 0; i < 100; i++) {
                Monitor.enter("filter");
                Monitor.enter("si");
                Monitor.exit("si");
                Monitor.exit("filter");
              }
            });
    other.start();
    other.join();

    assertThat(recorded().stream().filter(each -> each.violations() == 0)).hasSize(101);
    assertThat(Records.end(folder)).contains("\"violations\":1,\"open\":1");
  }

  @Test
  void aLayerThatAnExceptionLeftOpenIsAViolation() throws Exception {
    Monitor.enter("filter");
    Monitor.enter("si");
    Monitor.exit("filter");

    assertThat(recorded()).hasSize(1).allMatch(each -> each.violations() == Crossings.LEFT_OPEN);
    assertThat(Records.end(folder)).contains("\"violations\":1");
  }

  @Test
  void aRequestThatIsUnderWayWhenRecordingBeginsOrEndsIsNoViolation() throws Exception {
    Monitor.stop();
    Monitor.enter("filter");
    Path second = folder.resolve("second");
    Monitor.start(second);
    Monitor.exit("filter");
    Monitor.enter("filter");
    Monitor.stop();
    Monitor.exit("filter");

    assertThat(Records.in(second)).isEmpty();
    assertThat(Records.end(second))
        .contains("\"records\":0,\"lost\":0,\"violations\":0,\"open\":1");
  }

  @Test
  void aDelayIsSpentInTheLayerThatItIsAddressedToAndInNoOther() throws Exception {
    for (String layer : List.of("filter", "si", "reads")) {
      Monitor.enter("filter");
      Monitor.delay(layer, 5_000_000);
      Monitor.enter("si");
      Monitor.exit("si");
      Monitor.enter("si");
      Monitor.exit("si");
      Monitor.exit("filter");
    }

    List<Request> all = recorded();
    // Addressed to a layer that was entered before it was asked for, or never, it delays nothing.
    assertThat(all.get(0).layers().get("filter").total()).isLessThan(5_000_000);
    assertThat(all.get(2).layers().get("filter").total()).isLessThan(5_000_000);
    assertThat(all.get(1).layers().get("si").self()).isGreaterThanOrEqualTo(5_000_000);
    assertThat(all.get(1).layers().get("filter").self()).isLessThan(2_500_000);
  }

  @Test
  void recursionDeeperThanThereIsRoomForIsAViolation() throws Exception {
    for (int i = 0; i < 300; i++) {
      Monitor.enter("si");
    }
    for (int i = 0; i < 300; i++) {
      Monitor.exit("si");
    }
    Monitor.enter("si");
    Monitor.exit("si");

    assertThat(recorded()).extracting(Request::violations).containsExactly(Crossings.TOO_DEEP, 0);
  }

  @Test
  void moreTagsThanThereIsRoomForAreOneLayer() throws Exception {
    Tags tags = new Tags();
    for (int i = 0; i < 100; i++) {
      tags.of("tag" + i);
    }
    assertThat(tags.of("tag30").toString()).isEqualTo("tag30");
    assertThat(tags.of("tag31").toString()).isEqualTo("other");
    assertThat(tags.of("tag99")).isSameAs(tags.of("tag31"));
  }

  @Test
  void contextsAreBounded() throws Exception {
    Monitor.enter("filter");
    for (int i = 0; i < 100; i++) {
      Monitor.context("filter", "key" + i, "\u20ac".repeat(10_000));
    }
    Monitor.exit("filter");

    assertThat(recorded().get(0).contexts()).hasSizeBetween(1, 32);
    assertThat(size()).isLessThan(9_000);
  }

  @Test
  void aFileThatIsCutIsReadUpToTheCut() throws Exception {
    for (int i = 0; i < 1000; i++) {
      Monitor.enter("filter");
      Monitor.exit("filter");
    }
    assertThat(recorded()).hasSize(1000);
    byte[] whole = Files.readAllBytes(files().get(0));
    for (int cut : new int[] {8, 9, 100, 1000, whole.length - 1}) {
      byte[] left = java.util.Arrays.copyOf(whole, cut);
      assertThat(Records.of(left)).hasSizeBetween(Math.max(0, cut / 60 - 3), cut / 40);
    }
  }

  @Test
  void aRequestBeganWhenWhatCameBeforeSaysAndNoLaterThanItWasSeen() throws Exception {
    long before = System.nanoTime();
    TimeUnit.MILLISECONDS.sleep(2);
    Monitor.enter("filter");
    Monitor.began(before);
    Monitor.enter("si");
    Monitor.began(before - 1_000_000_000); // within: the request has gone on since
    Monitor.exit("si");
    Monitor.exit("filter");
    Monitor.enter("filter");
    Monitor.began(System.nanoTime() + 1_000_000_000);
    Monitor.exit("filter");

    List<Request> both = recorded();
    assertThat(both.get(0).begin()).isEqualTo(before);
    assertThat(both.get(0).layers().get("filter").self()).isBetween(2_000_000L, 1_000_000_000L);
    assertThat(both.get(0).selfSum()).isEqualTo(both.get(0).layers().get("filter").total());
    assertThat(both.get(1).begin()).isLessThan(System.nanoTime());
  }

  @Test
  void aFolderThatCannotBeWrittenLosesRecordsAndSaysSoAndFailsNoRequest() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    Monitor.start(file);
    Monitor.enter("filter");
    Monitor.exit("filter");
    Monitor.stop();

    assertThat(Files.readString(file)).isEqualTo("no folder");
  }

  @Test
  void theFileOfAThreadThatDiedServesTheNext() throws Exception {
    for (int i = 0; i < 50; i++) {
      Thread thread =
          new Thread(
              () -> {
                Monitor.enter("filter");
                Monitor.exit("filter");
              });
      thread.start();
      thread.join();
    }

    List<Request> all = recorded();
    assertThat(all).hasSize(50);
    assertThat(all.stream().map(Request::thread).collect(Collectors.toSet())).hasSize(50);
    assertThat(files()).hasSize(1);
  }

  @Test
  @Timeout(120)
  void ofTenMillionRequestsNoneIsLost() throws Exception {
    int threads = 4;
    int each = 2_500_000;
    List<Thread> serving = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int k = 0; k < each; k++) {
                  Monitor.enter(Layers.FILTER);
                  Monitor.exit(Layers.FILTER);
                }
              });
      serving.add(thread);
      thread.start();
    }
    for (Thread thread : serving) {
      thread.join();
    }
    Monitor.stop();

    assertThat(Records.end(folder))
        .contains("\"records\":10000000,\"lost\":0,\"violations\":0,\"open\":0");
    long frame = 4 + 1 + 8 + 1 + 1 + 29 + 1;
    assertThat(size()).isBetween(10_000_000 * frame, 10_000_000 * frame + 4 * 200);
    for (Path path : files()) {
      Files.delete(path);
    }
  }

  private List<Request> recorded() throws IOException {
    Monitor.stop();
    return Records.in(folder);
  }

  private List<Path> files() throws IOException {
    try (var paths = Files.list(folder)) {
      return paths.filter(each -> each.toString().endsWith(".records")).sorted().toList();
    }
  }

  private long size() throws IOException {
    long bytes = 0;
    for (Path path : files()) {
      bytes += Files.size(path);
    }
    return bytes;
  }
}

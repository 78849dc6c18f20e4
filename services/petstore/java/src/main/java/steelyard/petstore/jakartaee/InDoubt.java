package steelyard.petstore.jakartaee;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The transactions of called web services that have promised to commit and have not yet, as the
 * transaction manager keeps them in the server's own folder. After a kill, what they sent is in no
 * queue until it is decided. XTS keeps records of its own, but some for ever: of those that had
 * committed already and were killed before they could say so.
 */
final class InDoubt {

  private static final String RECORDS =
      "tx-object-store/ShadowNoFileLockStore/defaultStore/StateManager/BasicAction/TwoPhaseCoordinator"
          + "/AtomicAction/SubordinateAtomicAction/JCA";

  private final Path records;

  /** Those below the folder in which the server keeps its data. */
  InDoubt(Path data) {
    records = data.resolve(RECORDS);
  }

  /** None where none was written yet; raises IllegalStateException where they are unreadable. */
  long count() {
    if (!Files.isDirectory(records)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(records)) {
      return files.count();
    } catch (IOException unreadable) {
      throw new IllegalStateException("nobody knows what is in doubt: " + unreadable, unreadable);
    }
  }
}

package steelyard.petstore.faults;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * Faults that are planted to see what becomes of orders: of all workflow steps a share, drawn by
 * what they receive, fails once at a place. None does before somebody asks for it. Thread-safe.
 */
public final class PlantedFaults {

  private static final int PERCENT = 100;

  /** Where a step fails. */
  public enum Place {
    /** What it sends was taken, and nothing is committed. */
    AFTER_CALL,
    /** Its transaction ends, or the first of two. */
    AT_COMMIT;

    /** By the name that a user knows: `after-call`, `at-commit`. */
    public static Optional<Place> of(String name) {
      for (Place place : values()) {
        if (place.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(name)) {
          return Optional.of(place);
        }
      }
      return Optional.empty();
    }
  }

  private final Map<Place, Integer> percents = new EnumMap<>(Place.class);
  private final Set<String> met = ConcurrentHashMap.newKeySet();

  /** From now on this many percent of the steps fail at a place, those once that did before. */
  public synchronized void plant(Place place, int percent) {
    percents.put(place, percent);
  }

  private synchronized int percent(Place place) {
    return percents.getOrDefault(place, 0);
  }

  /** Whether the step that receives this document is to fail here, which it does once. */
  public boolean due(Place place, String step, String document) {
    int percent = percent(place);
    if (percent == 0) {
      return false;
    }
    CRC32 lot = new CRC32();
    lot.update((place + step + document).getBytes(StandardCharsets.UTF_8));
    return lot.getValue() % PERCENT < percent && met.add(place + step + lot.getValue());
  }

  /** Raises IllegalStateException where the step is to fail before its commit. */
  public void afterCall(String step, String document) {
    raise(Place.AFTER_CALL, step, document);
  }

  /** Raises IllegalStateException where the step is to fail after its database's commit. */
  public void atCommit(String step, String document) {
    raise(Place.AT_COMMIT, step, document);
  }

  private void raise(Place place, String step, String document) {
    if (due(place, step, document)) {
      throw new IllegalStateException("a planted fault of " + step + ": " + place);
    }
  }
}

package steelyard.petstore.faults;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * Faults that are planted to see what becomes of orders: of all workflow steps a share, drawn by
 * what they receive, fails at a place, once or some times. None does before somebody asks for it.
 * Thread-safe.
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

  /**
   * How many `percent` of the steps fail, and each how many `times`; of `step` alone, a receiver's
   * name, or of all where that is empty.
   */
  public record Plan(int percent, int times, String step) {

    private static final Plan NONE = new Plan(0, 0, "");

    private boolean strikes(String name, long lot) {
      return lot % PERCENT < percent && (step.isEmpty() || step.equals(name));
    }
  }

  private final Map<Place, Plan> plans = new EnumMap<>(Place.class);
  private final Map<String, Integer> met = new ConcurrentHashMap<>();

  /** From now on steps fail at a place by this plan, what they failed before counted in. */
  public synchronized void plant(Place place, Plan plan) {
    plans.put(place, plan);
  }

  private synchronized Plan plan(Place place) {
    return plans.getOrDefault(place, Plan.NONE);
  }

  /** Whether the step that receives this document is to fail here, which counts as a failure. */
  public boolean due(Place place, String step, String document) {
    Plan plan = plan(place);
    if (plan.percent() == 0) {
      return false;
    }
    CRC32 lot = new CRC32();
    lot.update((place + step + document).getBytes(StandardCharsets.UTF_8));
    return plan.strikes(step, lot.getValue())
        && met.merge(place + step + lot.getValue(), 1, Integer::sum) <= plan.times();
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

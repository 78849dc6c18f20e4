package steelyard.rmi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is asked next: the mix as shuffled hands, each of which holds it exactly, and the requests
 * of a kind in a seeded order. Users draw in turn.
 */
final class Deck {

  private static final int LARGEST_HAND = 1000;
  private static final int HANDS = 64;
  private static final double EXACT = 1e-9;

  private final int[] kinds;
  private final long[] ranks;
  private final long[] perLap;
  private final List<List<Entry>> entries = new ArrayList<>();
  private final AtomicLong drawn = new AtomicLong();
  private final int hand;

  /**
   * @param byKind requests of each kind of the mix, in its order
   */
  Deck(Map<String, Double> mix, List<List<Entry>> byKind, long seed) {
    int[] counts = hand(mix.values().stream().mapToDouble(Double::doubleValue).toArray());
    hand = Arrays.stream(counts).sum();
    kinds = new int[hand * HANDS];
    ranks = new long[kinds.length];
    perLap = new long[counts.length];
    var sorted = new ArrayList<Integer>();
    for (int kind = 0; kind < counts.length; kind++) {
      sorted.addAll(Collections.nCopies(counts[kind], kind));
    }
    var random = new Random(seed);
    for (int card = 0; card < kinds.length; card++) {
      if (card % hand == 0) {
        Collections.shuffle(sorted, random);
      }
      kinds[card] = sorted.get(card % hand);
      ranks[card] = perLap[kinds[card]]++;
    }
    for (List<Entry> kind : byKind) {
      var shuffled = new ArrayList<>(kind);
      Collections.shuffle(shuffled, random);
      entries.add(shuffled);
    }
  }

  /** How many cards hold the mix exactly. */
  int hand() {
    return hand;
  }

  /** The number of the next card. */
  long draw() {
    return drawn.getAndIncrement();
  }

  /** The kind of a card, by its place in the mix. */
  int kind(long card) {
    return kinds[(int) (card % kinds.length)];
  }

  Entry entry(long card) {
    int place = (int) (card % kinds.length);
    long rank = card / kinds.length * perLap[kinds[place]] + ranks[place];
    List<Entry> own = entries.get(kinds[place]);
    return own.get((int) (rank % own.size()));
  }

  /**
   * How often each weight is in the smallest hand that holds all exactly, or nearly in the largest.
   */
  private static int[] hand(double[] weights) {
    double total = Arrays.stream(weights).sum();
    for (int size = weights.length; size <= LARGEST_HAND; size++) {
      int cards = size;
      double[] shares = Arrays.stream(weights).map(weight -> weight / total * cards).toArray();
      if (Arrays.stream(shares)
          .allMatch(share -> share > 0.5 && Math.abs(share - Math.rint(share)) < EXACT)) {
        return Arrays.stream(shares).mapToInt(share -> (int) Math.rint(share)).toArray();
      }
    }
    return Arrays.stream(weights)
        .mapToInt(weight -> (int) Math.max(1, Math.rint(weight / total * LARGEST_HAND)))
        .toArray();
  }
}

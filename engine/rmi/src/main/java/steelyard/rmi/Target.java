package steelyard.rmi;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A server that is asked: the lines of its users, which they keep over slices, and the requests as
 * its calls.
 */
final class Target {

  private final String path;
  private final InetSocketAddress address;
  private final long timeoutNs;
  private final Contract contract;
  private final Map<String, List<Entry>> entries = new HashMap<>();
  private final List<Caller> callers = new ArrayList<>();
  private final Corpus corpus;

  Target(Job.Target declared, Corpus corpus, long timeoutNs) throws Refusal {
    this.corpus = corpus;
    this.timeoutNs = timeoutNs;
    path = declared.where().getPath();
    address = new InetSocketAddress(declared.where().getHost(), declared.where().getPort());
    contract = new Contract(declared.rmi());
  }

  Contract contract() {
    return contract;
  }

  InetSocketAddress address() {
    return address;
  }

  /** How often a user of it has connected. */
  int connects() {
    return callers.stream().mapToInt(caller -> caller.line().connects()).sum();
  }

  /** How often a connection of a user was ended by the server. */
  int closes() {
    return callers.stream().mapToInt(caller -> caller.line().closes()).sum();
  }

  /** The requests of a kind, made into calls once. */
  List<Entry> entries(String kind) throws Refusal {
    List<Entry> known = entries.get(kind);
    if (known == null) {
      known = corpus.entries(kind, contract, path);
      entries.put(kind, known);
    }
    return known;
  }

  /** The callers of so many users, each with a line of its own. */
  List<Caller> callers(int users) {
    while (callers.size() < users) {
      var line = new Line(address, timeoutNs, false);
      callers.add(new Caller(contract, address, Contract.name(path), line));
    }
    return List.copyOf(callers.subList(0, users));
  }
}

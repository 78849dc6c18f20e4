package steelyard.rmi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The requests of the mix, by the name that the corpus has for them, as values for one contract.
 */
final class Corpus {

  private static final List<String> NEEDED =
      List.of("entry", "operation", "offset", "length", "rule");

  private final byte[] bodies;
  private final List<Map<String, String>> rows = new ArrayList<>();
  private final Map<String, Job.Rule> rules;

  Corpus(Path folder, Map<String, Job.Rule> rules) throws Refusal {
    this.rules = rules;
    try {
      bodies = Files.readAllBytes(folder.resolve("corpus.bin"));
      read(Files.readAllLines(folder.resolve("corpus.csv")));
    } catch (IOException e) {
      throw new Refusal("the corpus in " + folder + " cannot be read: " + e.getMessage());
    }
  }

  private void read(List<String> lines) throws Refusal {
    List<String> columns = lines.isEmpty() ? List.of() : cells(lines.get(0));
    if (!columns.containsAll(NEEDED)) {
      throw new Refusal("corpus.csv lacks a column of " + String.join(", ", NEEDED));
    }
    for (String line : lines.subList(1, lines.size())) {
      var row = new HashMap<String, String>();
      List<String> cells = cells(line);
      for (int i = 0; i < Math.min(cells.size(), columns.size()); i++) {
        row.put(columns.get(i), cells.get(i));
      }
      rows.add(row);
    }
  }

  /** Cells of a line, in which quotes are doubled within quotes. */
  private static List<String> cells(String line) {
    var cells = new ArrayList<String>();
    var cell = new StringBuilder();
    boolean quoted = false;
    for (char next : line.toCharArray()) {
      if (next == '"') {
        quoted = !quoted;
        if (quoted && !cell.isEmpty()) {
          cell.append(next);
        }
      } else if (next == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(next);
      }
    }
    cells.add(cell.toString());
    return cells;
  }

  /** All requests of a kind as calls of one method. */
  List<Entry> entries(String name, Contract contract, String path) throws Refusal {
    var found = new ArrayList<Entry>();
    for (Map<String, String> row : rows) {
      if (name.equals(row.get("operation"))) {
        found.add(entry(row, name, contract, path));
      }
    }
    if (found.isEmpty()) {
      throw new Refusal("the corpus has no requests called " + name);
    }
    return found;
  }

  private Entry entry(Map<String, String> row, String name, Contract contract, String otherwise)
      throws Refusal {
    int number = number(row, "entry");
    int offset = number(row, "offset");
    int length = number(row, "length");
    if (offset < 0 || length < 0 || offset + (long) length > bodies.length) {
      throw new Refusal("entry " + number + " of the corpus lies beyond corpus.bin");
    }
    Job.Rule rule = rules.get(row.get("rule"));
    if (rule == null) {
      throw new Refusal(
          "entry "
              + number
              + " of the corpus names the rule '"
              + row.get("rule")
              + "', which the job has not");
    }
    Check.rule(row.get("rule"), rule);
    if ("1".equals(row.get("filled"))) {
      throw new Refusal(
          "entry "
              + number
              + " of the corpus is filled when it is sent, which this driver does not know");
    }
    String path = row.getOrDefault("path", "");
    var method = contract.method(path.isEmpty() ? otherwise : path);
    String body = new String(bodies, offset, length, StandardCharsets.UTF_8);
    return new Entry(number, name, method, Contract.arguments(method, body), rule.contains());
  }

  private static int number(Map<String, String> row, String column) throws Refusal {
    try {
      return Integer.parseInt(row.getOrDefault(column, ""));
    } catch (NumberFormatException e) {
      throw new Refusal(
          "corpus.csv has '" + row.get(column) + "' where a number is due (" + column + ")");
    }
  }
}

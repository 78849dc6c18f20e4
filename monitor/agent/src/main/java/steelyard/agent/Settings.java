package steelyard.agent;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the agent is told. Its argument is a file of properties, or properties themselves, {@code
 * key=value} with commas between them, of which {@code settings} may name a file. Names in a list
 * are parted by blanks, plus signs or, in a file, commas.
 *
 * @param records the folder that records go to; null where nothing is to be recorded
 * @param off layers that are left alone
 * @param begin layers that begin a request beside the servlet's, where none is under way
 * @param paths of requests that are recorded, with * for anything; none: all
 * @param endpoints patterns of classes whose public methods are the layer {@code ws}
 * @param services patterns of classes whose public methods are the layer {@code si}
 * @param exclude patterns of classes that are left alone
 * @param delays whether requests may ask for planted delays
 */
record Settings(
    Path records,
    Set<String> off,
    Set<String> begin,
    List<String> paths,
    List<String> endpoints,
    List<String> services,
    List<String> exclude,
    boolean delays) {

  private static final Set<String> LAYERS =
      new TreeSet<>(Set.of("filter", "soap", "ws", "si", "hibernate", "jdbc", "jms", "http"));
  private static final Set<String> BEGINNING = new TreeSet<>(Set.of("soap", "ws", "si"));

  private static final Set<String> KEYS =
      new TreeSet<>(
          Set.of("records", "off", "begin", "paths", "ws", "si", "exclude", "delays", "settings"));

  /**
   * Of the agent's argument, which may be null, and of the folder that the environment names, which
   * may be too.
   *
   * @throws IllegalArgumentException for what it does not know, with what it does
   * @throws IOException where the file cannot be read
   */
  static Settings of(String argument, String folder) throws IOException {
    Properties told = new Properties();
    String said = argument == null ? "" : argument.strip();
    if (!said.isEmpty() && !said.contains("=")) {
      read(Path.of(said), told);
    }
    for (String setting : said.contains("=") ? said.split(",") : new String[0]) {
      int equals = setting.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("'" + setting + "' is no setting: write key=value");
      }
      told.setProperty(setting.substring(0, equals).strip(), setting.substring(equals + 1).strip());
    }
    if (told.containsKey("settings")) {
      Properties nearer = new Properties();
      nearer.putAll(told);
      read(Path.of(told.getProperty("settings")), told);
      told.putAll(nearer);
    }
    return of(told, folder);
  }

  private static void read(Path file, Properties into) throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      into.load(reader);
    }
  }

  private static Settings of(Properties told, String folder) {
    for (String key : told.stringPropertyNames()) {
      if (!KEYS.contains(key)) {
        throw new IllegalArgumentException("there is no setting '" + key + "', only " + KEYS);
      }
    }
    String records = told.getProperty("records", folder == null ? "" : folder).strip();
    return new Settings(
        records.isEmpty() ? null : Path.of(records),
        layers("off", LAYERS, told),
        layers("begin", BEGINNING, told),
        list("paths", told),
        list("ws", told),
        list("si", told),
        list("exclude", told),
        told.getProperty("delays", "off").equals("on"));
  }

  private static Set<String> layers(String key, Set<String> known, Properties told) {
    Set<String> named = new TreeSet<>(list(key, told));
    for (String layer : named) {
      if (!known.contains(layer)) {
        throw new IllegalArgumentException(
            key + " names '" + layer + "', which is none of " + known);
      }
    }
    return named;
  }

  private static List<String> list(String key, Properties told) {
    return Arrays.stream(told.getProperty(key, "").split("[,+\\s]+"))
        .filter(each -> !each.isEmpty())
        .toList();
  }
}

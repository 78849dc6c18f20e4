package steelyard.rmi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The driver as a process of its own, which is how the lab has it, with a job that a test changes
 * where it wants.
 */
final class Driven implements AutoCloseable {

  static final String BODIES =
      "{}{\"items\":[{\"number\":1,\"text\":\"mark\"}]}{\"item\":{\"number\":1,\"text\":\"mark\"}}";
  private static final Path CLASSES = Path.of("target", "test-classes");

  final Path folder;
  private final Process process;
  private final BufferedReader said;
  private final PrintWriter words;

  Driven(Path folder, String job) throws Exception {
    this.folder = folder;
    corpus(folder.resolve("corpus"));
    contract(folder.resolve("contract.jar"));
    Files.writeString(folder.resolve("job.json"), job);
    String own =
        Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    String libraries =
        Stream.of(System.getProperty("java.class.path").split(":"))
            .filter(path -> path.endsWith(".jar"))
            .reduce(own, (all, jar) -> all + ":" + jar);
    var command =
        new java.util.ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    for (String name : List.of("sun.rmi.server", "sun.rmi.transport", "sun.rmi.transport.tcp")) {
      command.add("--add-exports=java.rmi/" + name + "=ALL-UNNAMED");
    }
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx256m",
            "-cp",
            libraries,
            Main.class.getName()));
    command.addAll(
        List.of(
            "run",
            folder.resolve("job.json").toString(),
            "--out",
            folder.resolve("out").toString()));
    process = new ProcessBuilder(command).redirectError(folder.resolve("errors").toFile()).start();
    said = new BufferedReader(new InputStreamReader(process.getInputStream()));
    words = new PrintWriter(process.getOutputStream(), true);
  }

  /** A job with a target on a port and a slice of a kind of request for each of the kinds named. */
  static String job(Path folder, int port, double seconds, String... kinds) {
    var slices = new StringBuilder();
    for (int i = 0; i < kinds.length; i++) {
      slices.append(i == 0 ? "" : ",").append(slice(i, seconds, "{\"" + kinds[i] + "\":1}"));
    }
    return """
        {"seed":1,"corpus":"corpus","rules":{"marked":{"contains":"mark"},"any":{}},
         "targets":[{"subject":"s","host":"127.0.0.1","port":%d,"path":"/Sample/nothing",
           "rmi":{"interface":"steelyard.rmi.sample.Sample","classes":["%s"]}}],
         "slices":[%s],"timeout_ms":5000,"drain_limit_ms":2000,"samples":{"one_in":10}}"""
        .formatted(port, folder.resolve("contract.jar"), slices);
  }

  static String slice(int number, double seconds, String mix) {
    return """
        {"number":%d,"subject":"s","phase":"measure","profile":{"kind":"big-bang","users":4,"seconds":%s},
         "mix":%s,"deck_seed":7,"lead_in_ms":100}"""
        .formatted(number, seconds, mix);
  }

  private static void corpus(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("corpus.bin"), BODIES);
    int first = BODIES.indexOf("{\"items");
    int second = BODIES.indexOf("{\"item\"");
    Files.writeString(
        folder.resolve("corpus.csv"),
        """
        entry,operation,offset,length,rule,safe,method,path,headers,link,pause_ms,filled
        0,nothing,0,2,any,1,,/Sample/nothing,,,,0
        1,echo,%1$d,%2$d,marked,1,,/Sample/echo,,,,0
        2,echo,%1$d,%2$d,marked,1,,/Sample/echo,,,,0
        3,wrong,%3$d,%4$d,marked,1,,/Sample/wrong,,,,0
        4,alien,0,2,any,1,,/Sample/alien,,,,0
        5,refuse,0,2,any,1,,/Sample/refuse,,,,0
        6,hang,0,2,any,1,,/Sample/hang,,,,0
        """
            .formatted(first, second - first, second, BODIES.length() - second));
  }

  private static void contract(Path jar) throws IOException {
    try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String name : List.of("sample/Sample", "sample/Item", "other/Alien")) {
        String file = "steelyard/rmi/" + name + ".class";
        out.putNextEntry(new ZipEntry(file));
        out.write(Files.readAllBytes(CLASSES.resolve(file)));
      }
    }
  }

  /** Says a line. */
  void say(String line) {
    words.println(line);
  }

  /** What it says until a line that begins so, that line too. */
  String until(String beginning) throws IOException {
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith(beginning)) {
        return line;
      }
    }
    throw new AssertionError("it ended before it said " + beginning + ": " + errors());
  }

  /** Runs a slice and gives its row of slices.csv. */
  Map<String, String> go(int number) throws IOException {
    say("{\"go\":" + number + "}");
    until("{\"drained\":" + number + "}");
    return rows("slices.csv").getLast();
  }

  List<Map<String, String>> rows(String table) throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve("out").resolve(table));
    String[] columns = lines.getFirst().split(",");
    return lines.stream()
        .skip(1)
        .map(
            line -> {
              String[] cells = line.split(",", columns.length);
              var row = new HashMap<String, String>();
              for (int i = 0; i < columns.length; i++) {
                row.put(columns[i], cells[i]);
              }
              return (Map<String, String>) row;
            })
        .toList();
  }

  String errors() throws IOException {
    return Files.readString(folder.resolve("errors"));
  }

  /** Ends its input, and gives what it exits with. */
  int end() throws IOException, InterruptedException {
    words.close();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("it did not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}

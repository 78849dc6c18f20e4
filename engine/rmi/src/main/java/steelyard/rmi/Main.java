package steelyard.rmi;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The second driver: closed load over Java RMI, behind the engine's process contract.
 *
 * <p>{@code run JOB --out DIR} drives a job in step; {@code ask --host H --port P --interface I
 * --classes JAR:JAR --seconds S [--once]} asks one call a line.
 */
public final class Main {

  private static final int FAILED = 1;
  private static final int INVALID = 2;

  private Main() {}

  public static void main(String[] arguments) {
    // What a contract's classes print must not stand between our lines.
    var out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err);
    // A user keeps a connection for as long as a run takes; RMI would close it after 15 s without a
    // call.
    System.setProperty(
        "sun.rmi.transport.connectionTimeout", String.valueOf(Duration.ofDays(7).toMillis()));
    System.exit(ended(arguments, out));
  }

  private static int ended(String[] arguments, PrintStream out) {
    Run run = null;
    try {
      String verb = arguments.length == 0 ? "" : arguments[0];
      Map<String, String> options = options(arguments);
      if (verb.equals("ask")) {
        Ask.answerAll(options, out);
        return 0;
      }
      if (!verb.equals("run") || arguments.length < 2 || !options.containsKey("out")) {
        throw new Refusal("say `run JOB --out DIR`, or `ask` with its options");
      }
      run = new Run(Path.of(arguments[1]), Path.of(options.get("out")), out);
      run.obey(System.in);
      return 0;
    } catch (Refusal e) {
      System.err.println("steelyard-rmi: " + e.getMessage());
      return run == null ? INVALID : FAILED;
    } catch (IOException e) {
      System.err.println("steelyard-rmi: what it finds out cannot be written: " + e.getMessage());
      return FAILED;
    } catch (InterruptedException e) {
      return FAILED;
    }
  }

  private static Map<String, String> options(String[] arguments) throws Refusal {
    var options = new HashMap<String, String>();
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i].equals("--once")) {
        options.put("once", "");
      } else if (arguments[i].startsWith("--")) {
        if (i + 1 == arguments.length) {
          throw new Refusal(arguments[i] + " needs a value");
        }
        options.put(arguments[i].substring(2), arguments[++i]);
      }
    }
    return options;
  }
}

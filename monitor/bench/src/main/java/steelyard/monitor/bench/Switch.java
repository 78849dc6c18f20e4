package steelyard.monitor.bench;

import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Switches the monitor of a server that runs on and off, so that both are measured in one process:
 * {@code Switch PID JAR PORT FOLDER} begins a recording in FOLDER, which is off and on again as
 * somebody who listens at PORT of this machine says, a line each, and ends with that connection. JAR
 * holds this class, which goes into the server as an agent.
 *
 * <p>It stays one recording, so that its buffers and files are made once: to be switched costs
 * nothing.
 */
public final class Switch {

  private Switch() {}

  public static void main(String[] arguments) throws Exception {
    VirtualMachine server = VirtualMachine.attach(arguments[0]);
    try {
      server.loadAgent(arguments[1], arguments[2] + " " + arguments[3]);
    } finally {
      server.detach();
    }
  }

  /** In the server: the application brings its own monitor along, which only its classes know. */
  public static void agentmain(String told, Instrumentation server) throws Exception {
    int space = told.indexOf(' ');
    Class<?> monitor = monitorOf(server);
    monitor.getMethod("start", Path.class).invoke(null, Path.of(told.substring(space + 1)));
    Field recorder = monitor.getDeclaredField("recorder");
    recorder.setAccessible(true);
    Object recording = recorder.get(null);
    Socket connection =
        new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(told.substring(0, space)));
    Thread obeying =
        new Thread(
            () -> {
              try (connection) {
                obey(connection, recorder, recording);
                recorder.set(null, recording);
                monitor.getMethod("stop").invoke(null);
                connection.getOutputStream().write('\n');
              } catch (IOException | ReflectiveOperationException e) {
                e.printStackTrace();
              }
            },
            "switch");
    obeying.setDaemon(true);
    obeying.start();
  }

  private static void obey(Socket connection, Field recorder, Object recording)
      throws IOException, IllegalAccessException {
    var lines =
        new BufferedReader(
            new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
    PrintStream done =
        new PrintStream(connection.getOutputStream(), true, StandardCharsets.US_ASCII);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      recorder.set(null, line.equals("on") ? recording : null);
      done.print(line + "\n");
      done.flush();
    }
  }

  private static Class<?> monitorOf(Instrumentation server) {
    for (Class<?> each : server.getAllLoadedClasses()) {
      if (each.getName().equals("steelyard.monitor.Monitor")) {
        return each;
      }
    }
    throw new IllegalStateException("nothing in this process is watched by the monitor");
  }
}

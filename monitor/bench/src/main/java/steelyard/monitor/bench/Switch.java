package steelyard.monitor.bench;

import com.sun.tools.attach.VirtualMachine;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;

/**
 * Switches the monitor of a server that runs on and off, so that both are measured in one process:
 * {@code Switch PID JAR FOLDER} begins a recording in FOLDER, {@code Switch PID JAR} ends it. JAR holds this
 * class, which goes into the server as an agent.
 */
public final class Switch {

  private Switch() {}

  public static void main(String[] arguments) throws Exception {
    VirtualMachine server = VirtualMachine.attach(arguments[0]);
    try {
      server.loadAgent(arguments[1], arguments.length > 2 ? arguments[2] : "");
    } finally {
      server.detach();
    }
  }

  /** In the server: the application brings its own monitor along, which only its classes know. */
  public static void agentmain(String folder, Instrumentation server)
      throws ReflectiveOperationException {
    for (Class<?> each : server.getAllLoadedClasses()) {
      if (each.getName().equals("steelyard.monitor.Monitor")) {
        if (folder.isEmpty()) {
          each.getMethod("stop").invoke(null);
        } else {
          each.getMethod("start", Path.class).invoke(null, Path.of(folder));
        }
        return;
      }
    }
    throw new IllegalStateException("nothing in this process is watched by the monitor");
  }
}

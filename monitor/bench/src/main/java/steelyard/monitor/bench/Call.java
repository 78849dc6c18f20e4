package steelyard.monitor.bench;

import java.nio.file.Path;
import kieker.common.configuration.Configuration;
import kieker.common.record.controlflow.OperationExecutionRecord;
import kieker.monitoring.core.configuration.ConfigurationFactory;
import kieker.monitoring.core.controller.IMonitoringController;
import kieker.monitoring.core.controller.MonitoringController;
import kieker.monitoring.core.registry.ControlFlowRegistry;
import kieker.monitoring.core.registry.SessionRegistry;
import kieker.monitoring.timer.ITimeSource;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;
import steelyard.monitor.Tag;

/**
 * A call that calls itself until a depth is reached, and what is done around each: one
 * implementation a way of watching.
 */
interface Call {

  /** Calls itself `depth` times more; what it returns depends on every one of the calls. */
  long call(int depth);

  /** Ends what watches, so that it writes what it holds. */
  default void end() {}

  static Call of(String name, Path folder) {
    return switch (name) {
      case "none" -> new Unwatched();
      case "clock" -> new Clock();
      case "monitor-off" -> new Watched();
      case "monitor" -> watched(folder);
      case "kieker-off" ->
          new Kieker(controller("kieker.monitoring.writer.dump.DumpWriter", folder, false), false);
      case "kieker-probe" ->
          new Kieker(controller("kieker.monitoring.writer.dump.DumpWriter", folder, true), false);
      case "kieker-queued" ->
          new Kieker(controller("kieker.monitoring.writer.dump.DumpWriter", folder, true), true);
      case "kieker-written" ->
          new Kieker(
              controller("kieker.monitoring.writer.filesystem.FileWriter", folder, true), true);
      default -> throw new IllegalArgumentException("nothing watches as " + name);
    };
  }

  private static Call watched(Path folder) {
    Monitor.start(folder);
    return new Watched();
  }

  private static IMonitoringController controller(String writer, Path folder, boolean enabled) {
    Configuration configuration = ConfigurationFactory.createDefaultConfiguration();
    configuration.setProperty("kieker.monitoring.writer", writer);
    configuration.setProperty(
        "kieker.monitoring.writer.filesystem.FileWriter.customStoragePath", folder.toString());
    configuration.setProperty("kieker.monitoring.enabled", Boolean.toString(enabled));
    return MonitoringController.createInstance(configuration);
  }

  /** Nothing around a call. */
  final class Unwatched implements Call {
    @Override
    public long call(int depth) {
      return depth > 0 ? call(depth - 1) + 1 : 1;
    }
  }

  /** The clock is read twice: what no monitor can do without. */
  final class Clock implements Call {
    private long spent;

    @Override
    public long call(int depth) {
      long begun = System.nanoTime();
      long found = depth > 0 ? call(depth - 1) + 1 : 1;
      spent += System.nanoTime() - begun;
      return found;
    }

    @Override
    public void end() {
      if (spent == 0) {
        throw new IllegalStateException("no time was spent");
      }
    }
  }

  /**
   * A layer is entered and left; the outermost call is a request, whose record is made and written.
   * Calls are of two layers in turn: one that calls itself would read no clock.
   */
  final class Watched implements Call {
    @Override
    public long call(int depth) {
      Tag layer = depth % 2 == 0 ? Layers.SI : Layers.HIBERNATE;
      Monitor.enter(layer);
      try {
        return depth > 0 ? call(depth - 1) + 1 : 1;
      } finally {
        Monitor.exit(layer);
      }
    }

    @Override
    public void end() {
      Monitor.stop();
    }
  }

  /** What Kieker's probe for operation executions does around a call, by Kieker's own classes. */
  final class Kieker implements Call {
    private static final String SIGNATURE =
        "public long steelyard.monitor.bench.Call$Kieker.call(int)";

    private final IMonitoringController controller;
    private final ITimeSource time;
    private final String host;
    private final boolean handsOn;
    private OperationExecutionRecord last;

    Kieker(IMonitoringController controller, boolean handsOn) {
      this.controller = controller;
      this.time = controller.getTimeSource();
      this.host = controller.getHostname();
      this.handsOn = handsOn;
    }

    @Override
    public long call(int depth) {
      if (!controller.isMonitoringEnabled() || !controller.isProbeActivated(SIGNATURE)) {
        return depth > 0 ? call(depth - 1) + 1 : 1;
      }
      ControlFlowRegistry flow = ControlFlowRegistry.INSTANCE;
      String session = SessionRegistry.INSTANCE.recallThreadLocalSessionId();
      long trace = flow.recallThreadLocalTraceId();
      boolean entry = trace == -1;
      int order = 0;
      int stack = 0;
      if (entry) {
        trace = flow.getAndStoreUniqueThreadLocalTraceId();
        flow.storeThreadLocalEOI(0);
        flow.storeThreadLocalESS(1);
      } else {
        order = flow.incrementAndRecallThreadLocalEOI();
        stack = flow.recallAndIncrementThreadLocalESS();
      }
      long begun = time.getTime();
      try {
        return depth > 0 ? call(depth - 1) + 1 : 1;
      } finally {
        long ended = time.getTime();
        last =
            new OperationExecutionRecord(
                SIGNATURE, session, trace, begun, ended, host, order, stack);
        if (handsOn) {
          controller.newMonitoringRecord(last);
        }
        if (entry) {
          flow.unsetThreadLocalTraceId();
          flow.unsetThreadLocalEOI();
          flow.unsetThreadLocalESS();
        } else {
          flow.storeThreadLocalESS(stack);
        }
      }
    }

    @Override
    public void end() {
      controller.terminateMonitoring();
      try {
        controller.waitForTermination(60_000);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}

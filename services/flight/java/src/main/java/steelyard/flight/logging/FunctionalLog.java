package steelyard.flight.logging;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.OutputStreamAppender;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.layout.PatternLayout;

/**
 * What the application and its persistence log, down to a level, in a file of bounded size; off
 * unless a level is said. The server's own log is another one.
 */
public final class FunctionalLog implements Closeable {

  /** No log at all. */
  public static final String OFF = "off";

  private static final long MOST_BYTES = 64L << 20;
  private static final String PATTERN = "%d %-5p [%t] %c: %m%n";
  private static final String NAME = "functional";

  private final BoundedFile file;
  private final BufferedWriter gauges;
  private final LoggerContext context;

  private long told;

  private FunctionalLog(BoundedFile file, BufferedWriter gauges, LoggerContext context) {
    this.file = file;
    this.gauges = gauges;
    this.context = context;
  }

  /**
   * Logs from `level` on into `path`, and tells what requests add to it at the end of the file
   * named `gauges`, unless that is empty. Throws IllegalArgumentException where there is no such
   * level.
   */
  public static FunctionalLog at(String level, Path path, String gauges) throws IOException {
    Level least = Level.valueOf(level);
    var context = (LoggerContext) LogManager.getContext(false);
    LoggerConfig root = context.getConfiguration().getRootLogger();
    List.copyOf(root.getAppenders().keySet()).forEach(root::removeAppender);
    root.setLevel(least);
    BoundedFile file = null;
    if (least != Level.OFF) {
      file = new BoundedFile(path, MOST_BYTES);
      OutputStreamAppender appender =
          OutputStreamAppender.newBuilder()
              .setName(NAME)
              .setTarget(file)
              .setLayout(PatternLayout.newBuilder().withPattern(PATTERN).build())
              .build();
      appender.start();
      root.addAppender(appender, least, null);
    }
    context.updateLoggers();
    boolean telling = file != null && gauges != null && !gauges.isEmpty();
    return new FunctionalLog(file, telling ? gaugesAt(Path.of(gauges)) : null, context);
  }

  /**
   * Tells what was logged since the last time: called when a request ends, that is what it added.
   */
  public synchronized void tell() throws IOException {
    if (gauges != null) {
      long written = file.written();
      gauges.write("log_bytes," + (written - told) + ',' + System.nanoTime() + '\n');
      gauges.flush();
      told = written;
    }
  }

  /** All bytes that were logged until now. */
  public long written() {
    return file == null ? 0 : file.written();
  }

  @Override
  public synchronized void close() throws IOException {
    LoggerConfig root = context.getConfiguration().getRootLogger();
    root.removeAppender(NAME);
    root.setLevel(Level.OFF);
    context.updateLoggers();
    if (gauges != null) {
      gauges.close();
    }
    if (file != null) {
      file.close();
    }
  }

  private static BufferedWriter gaugesAt(Path path) throws IOException {
    BufferedWriter file =
        Files.newBufferedWriter(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (Files.size(path) == 0) {
      file.write("name,value,time_ns\n");
      file.flush();
    }
    return file;
  }
}

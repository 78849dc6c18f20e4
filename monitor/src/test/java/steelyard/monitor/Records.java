package steelyard.monitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Record files read back, as the README of the monitor describes them. */
public final class Records {

  /** A layer of a request; times in ns. */
  public record Layer(int entries, long total, long self, long first) {}

  /** A request's record. */
  public record Request(
      long thread,
      long begin,
      int violations,
      Map<String, Layer> layers,
      Map<String, String> contexts) {

    public long selfSum() {
      return layers.values().stream().mapToLong(Layer::self).sum();
    }
  }

  private Records() {}

  public static List<Request> in(Path folder) throws IOException {
    List<Request> found = new ArrayList<>();
    try (Stream<Path> paths = Files.list(folder)) {
      for (Path path :
          paths.filter(each -> each.toString().endsWith(".records")).sorted().toList()) {
        found.addAll(of(Files.readAllBytes(path)));
      }
    }
    return found;
  }

  public static String end(Path folder) throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return Files.readString(
          paths.filter(each -> each.toString().endsWith("-end.json")).sorted().toList().get(0));
    }
  }

  static List<Request> of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    buffer.position(RecordFile.MAGIC.length);
    Map<Integer, String> tags = new HashMap<>();
    List<Request> found = new ArrayList<>();
    long thread = 0;
    while (buffer.remaining() >= 5) {
      int length = buffer.getInt();
      if (length > buffer.remaining()) {
        break;
      }
      int end = buffer.position() + length;
      switch (buffer.get()) {
        case RecordFile.TAG -> tags.put((int) buffer.get(), text(buffer));
        case RecordFile.THREAD -> thread = buffer.getLong();
        default -> found.add(request(buffer, thread, tags));
      }
      buffer.position(end);
    }
    return found;
  }

  private static Request request(ByteBuffer buffer, long thread, Map<Integer, String> tags) {
    long begin = buffer.getLong();
    int violations = buffer.get();
    Map<String, Layer> layers = new LinkedHashMap<>();
    int count = buffer.get();
    for (int i = 0; i < count; i++) {
      String name = tags.get((int) buffer.get());
      layers.put(
          name, new Layer(buffer.getInt(), buffer.getLong(), buffer.getLong(), buffer.getLong()));
    }
    Map<String, String> contexts = new LinkedHashMap<>();
    count = buffer.get();
    for (int i = 0; i < count; i++) {
      String tag = tags.get((int) buffer.get());
      String key = text(buffer);
      contexts.put(tag + "_" + key, text(buffer));
    }
    return new Request(thread, begin, violations, layers, contexts);
  }

  private static String text(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.getShort()];
    buffer.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}

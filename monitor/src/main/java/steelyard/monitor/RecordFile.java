package steelyard.monitor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The records of one thread at a time: a buffer, and the file that it is written to when it is
 * full.
 *
 * <p>A record is made without a lock. Only writing the buffer to the file takes turns, with whoever
 * ends the recording. A file is a magic word and frames; a frame is the length of what follows (32
 * bits), a kind (8 bits) and the rest. All numbers are little-endian. The README of the monitor has
 * the format.
 */
final class RecordFile {

  static final byte[] MAGIC = "STEELYD1".getBytes(StandardCharsets.US_ASCII);
  static final byte TAG = 1;
  static final byte THREAD = 2;
  static final byte REQUEST = 3;

  private static final int BUFFER = 64 * 1024;
  private static final int MOST_CONTEXT_BYTES = 8 * 1024;
  private static final int LONGEST_KEY = 100;
  private static final int LONGEST_VALUE = 500;
  // Layers and contexts of one request, with definitions of all their tags before it.
  private static final int LONGEST = MOST_CONTEXT_BYTES + Tags.MOST * (29 + 310) + 1024;

  private final Recorder recorder;
  private final Path path;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private final boolean[] defined = new boolean[Tags.MOST];
  private final AtomicBoolean writing = new AtomicBoolean();

  private FileChannel channel;
  private boolean broken;
  private int written; // of the buffer, in bytes; guarded by `writing`, as the three above
  private long records;
  private int recordsWritten; // of those in the buffer

  /**
   * The records in the buffer (upper 32 bits) and the bytes up to the last one's end (lower): what
   * others may read.
   */
  private volatile long published;

  private long violations;

  RecordFile(Recorder recorder, Path path) {
    this.recorder = recorder;
    this.path = path;
    buffer.put(MAGIC);
  }

  /** From here on the records are those of a thread. */
  void begin(Thread thread) {
    makeRoom();
    int begun = beginFrame(THREAD);
    buffer.putLong(threadId(thread));
    putText(thread.getName(), LONGEST_KEY);
    endFrame(begun);
  }

  @SuppressWarnings("deprecation") // Thread.threadId() came after Java 17
  private static long threadId(Thread thread) {
    return thread.getId();
  }

  /** Adds the record of a request that is over. */
  void write(Crossings request) {
    makeRoom();
    for (int i = 0; i < request.layers(); i++) {
      define(request.layer(i).tag);
    }
    for (int i = 0; i < request.contexts(); i++) {
      define(request.contextTag(i));
    }
    int begun = beginFrame(REQUEST);
    long begunAt = request.begunAt();
    buffer.putLong(begunAt);
    buffer.put((byte) request.violations());
    buffer.put((byte) request.layers());
    for (int i = 0; i < request.layers(); i++) {
      Stay layer = request.layer(i);
      buffer.put((byte) layer.tag.index());
      buffer.putInt(layer.entries);
      buffer.putLong(layer.total);
      buffer.putLong(layer.self);
      buffer.putLong(layer.firstAt - begunAt);
    }
    putContexts(request);
    endFrame(begun);
    if (request.violations() != 0) {
      violations++;
    }
    published = (((published >>> 32) + 1) << 32) | buffer.position();
    if (recorder.isClosed()) {
      flush(false);
    }
  }

  private void putContexts(Crossings request) {
    int countAt = buffer.position();
    buffer.put((byte) 0);
    int most = countAt + MOST_CONTEXT_BYTES;
    for (int i = 0; i < request.contexts(); i++) {
      if (buffer.position() + 3 * (LONGEST_KEY + LONGEST_VALUE) + 5 > most) {
        return;
      }
      buffer.put((byte) request.contextTag(i).index());
      putText(request.contextKey(i), LONGEST_KEY);
      putText(request.contextValue(i), LONGEST_VALUE);
      buffer.put(countAt, (byte) (i + 1));
    }
  }

  private void define(Tag tag) {
    if (!defined[tag.index()]) {
      defined[tag.index()] = true;
      int begun = beginFrame(TAG);
      buffer.put((byte) tag.index());
      putText(tag.toString(), LONGEST_KEY);
      endFrame(begun);
    }
  }

  private void putText(String text, int longest) {
    byte[] bytes =
        text.substring(0, Math.min(text.length(), longest)).getBytes(StandardCharsets.UTF_8);
    buffer.putShort((short) bytes.length);
    buffer.put(bytes);
  }

  private int beginFrame(byte kind) {
    int begun = buffer.position();
    buffer.putInt(0);
    buffer.put(kind);
    return begun;
  }

  private void endFrame(int begun) {
    buffer.putInt(begun, buffer.position() - begun - Integer.BYTES);
  }

  private void makeRoom() {
    if (buffer.remaining() < LONGEST) {
      flush(true);
    }
  }

  /**
   * Writes what is complete. `owner`: the thread whose file this is, which then begins the buffer
   * anew.
   */
  void flush(boolean owner) {
    while (!writing.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
    try {
      long complete = published;
      int end = owner ? buffer.position() : (int) complete;
      int count = (int) (complete >>> 32);
      if (end > written && !put(end)) {
        recorder.lost(count - recordsWritten);
      } else {
        records += count - recordsWritten;
      }
      written = end;
      recordsWritten = count;
      if (owner) {
        buffer.clear();
        written = 0;
        recordsWritten = 0;
        published = 0;
      }
    } finally {
      writing.set(false);
    }
  }

  /**
   * Whether the bytes were written; where not, the file ends where it did before, or is written no
   * more.
   */
  private boolean put(int end) {
    if (broken) {
      return false;
    }
    long before = 0;
    try {
      if (channel == null) {
        channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      }
      before = channel.size();
      ByteBuffer bytes = buffer.duplicate().position(written).limit(end);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      return true;
    } catch (IOException e) {
      recorder.say(path, e);
      broken = true; // what comes later may need a definition that this part held
      cutTo(before);
      return false;
    }
  }

  private void cutTo(long size) {
    try {
      if (channel != null) {
        channel.truncate(size);
      }
    } catch (IOException e) {
      recorder.say(path, e);
    }
  }

  void close() {
    flush(false);
    while (!writing.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      recorder.say(path, e);
    } finally {
      broken = true;
      writing.set(false);
    }
  }

  long records() {
    return records;
  }

  long violations() {
    return violations;
  }
}

package steelyard.petstore.events;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file of lines under a heading that outlives the process that writes it. */
final class RecordFile {

  private static final int LONGEST_LINE = 4_096;

  private RecordFile() {}

  /**
   * To be written at its end. What a process before this one wrote stays, but for a line that it
   * was killed in.
   */
  static BufferedWriter open(Path path, String heading) throws IOException {
    if (Files.exists(path) && Files.size(path) > 0) {
      cutToWholeLines(path);
    }
    BufferedWriter file =
        Files.newBufferedWriter(
            path, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (Files.size(path) == 0) {
      file.write(heading + '\n');
      file.flush();
    }
    return file;
  }

  private static void cutToWholeLines(Path path) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long begin = Math.max(0, channel.size() - LONGEST_LINE);
      ByteBuffer end = ByteBuffer.allocate((int) (channel.size() - begin));
      while (end.hasRemaining() && channel.read(end, begin + end.position()) >= 0) {
        continue;
      }
      int last = end.position() - 1;
      while (last >= 0 && end.get(last) != '\n') {
        last--;
      }
      channel.truncate(begin + last + 1);
    }
  }
}

package steelyard.flight.logging;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that begins anew where it would grow beyond its bound, and counts all that was written.
 */
final class BoundedFile extends OutputStream {

  private final FileChannel file;
  private final long most;

  private long written;

  BoundedFile(Path path, long most) throws IOException {
    this.file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    this.most = most;
  }

  /** All bytes until now, those of before a new beginning too. */
  synchronized long written() {
    return written;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
    if (file.position() + length > most) {
      file.truncate(0); // which moves the position there, too
    }
    var left = ByteBuffer.wrap(bytes, offset, length);
    while (left.hasRemaining()) {
      file.write(left);
    }
    written += length;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

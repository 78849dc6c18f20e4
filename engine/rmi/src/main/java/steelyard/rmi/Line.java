package steelyard.rmi;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.rmi.server.RMIClientSocketFactory;

/**
 * The one connection of a user. RMI's runtime keeps connections by the factory that made them, so a
 * factory of its own is what gives a user a connection that no other's calls go over.
 *
 * <p>All is counted and timed by the user's own thread; {@link #giveUp} alone is for another.
 */
final class Line {

  /** Why a call was ended by us. */
  enum End {
    NONE,
    TIMEOUT,
    DRAIN
  }

  private final InetSocketAddress address;
  private final int connectMs;
  private final boolean once;
  private volatile Socket socket;
  private volatile long dueBy; // 0: no call is on its way
  private volatile End end = End.NONE;

  private long bytesOut;
  private long bytesIn;
  private long bytesOutTaken;
  private long bytesInTaken;
  private long firstByte;
  private long connectNs;
  private int connects;
  private int closes;
  private RMIClientSocketFactory factory = new Factory();
  private boolean keptByUs = true; // whether the last connection, if there was one, was ended by us

  /**
   * @param once whether it is never opened again
   */
  Line(InetSocketAddress address, long timeoutNs, boolean once) {
    this.address = address;
    this.connectMs = (int) Math.max(1, Math.min(Integer.MAX_VALUE, timeoutNs / 1_000_000));
    this.once = once;
  }

  /**
   * Makes this line's connections; another one once a connection broke, since RMI's runtime would
   * try the broken one again.
   */
  RMIClientSocketFactory factory() {
    return factory;
  }

  private final class Factory implements RMIClientSocketFactory {
    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return connected();
    }
  }

  private Socket connected() throws IOException {
    if (once && connects > 0) {
      throw new java.net.ConnectException("the connection was closed");
    }
    var made = new Counted();
    socket = made;
    if (end != End.NONE) { // RMI's runtime opens another where it still has something to say
      throw new java.net.SocketException("given up");
    }
    if (!keptByUs) {
      closes++;
    }
    long begun = System.nanoTime();
    // Wherever a stub points: nobody but the target is ever asked.
    made.connect(address, connectMs);
    connectNs = System.nanoTime() - begun;
    made.setTcpNoDelay(true);
    connects++;
    keptByUs = false;
    return made;
  }

  /** A call begins that has to end by an instant of the clock. */
  void begin(long by) {
    firstByte = 0;
    connectNs = 0;
    end = End.NONE;
    dueBy = by;
  }

  /** The call ended; why, where it was ended by us. */
  End ended() {
    dueBy = 0;
    End why = end;
    if (why != End.NONE) {
      keptByUs = true;
    }
    return why;
  }

  /** Ends a call that is overdue, or, at the drain's limit, any. For another thread. */
  void giveUp(long now, boolean drained) {
    long by = dueBy;
    if (by != 0 && (drained || now >= by) && end == End.NONE) {
      end = drained ? End.DRAIN : End.TIMEOUT;
      close();
    }
  }

  /** Ends the connection. */
  void close() {
    Socket open = socket;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // It is gone in any case.
      }
    }
  }

  /**
   * A call failed in a way after which nothing is certain of the connection: the next one gets
   * another.
   */
  void broken() {
    if (!keptByUs) {
      keptByUs = true;
      closes++;
    }
    close();
    factory = new Factory();
  }

  boolean answerBegun() {
    return firstByte != 0;
  }

  /** When the first byte came after the last that was written; 0 where none did. */
  long firstByte() {
    return firstByte;
  }

  /** How long it took to connect within this call; 0 where it was connected. */
  long connectNs() {
    return connectNs;
  }

  /** Bytes that were sent since this was asked last. */
  long takeOut() {
    long taken = bytesOut - bytesOutTaken;
    bytesOutTaken = bytesOut;
    return taken;
  }

  /** Bytes that came since this was asked last. */
  long takeIn() {
    long taken = bytesIn - bytesInTaken;
    bytesInTaken = bytesIn;
    return taken;
  }

  int connects() {
    return connects;
  }

  int closes() {
    return closes;
  }

  /** A socket that counts what passes. */
  private final class Counted extends Socket {

    private InputStream in;
    private OutputStream out;

    @Override
    public synchronized InputStream getInputStream() throws IOException {
      if (in == null) {
        in = new In(super.getInputStream());
      }
      return in;
    }

    @Override
    public synchronized OutputStream getOutputStream() throws IOException {
      if (out == null) {
        out = new Out(super.getOutputStream());
      }
      return out;
    }
  }

  private final class In extends FilterInputStream {

    In(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int read = in.read();
      came(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int read = in.read(into, offset, length);
      came(read);
      return read;
    }

    private void came(int bytes) {
      if (bytes > 0) {
        bytesIn += bytes;
        if (firstByte == 0) {
          firstByte = System.nanoTime();
        }
      }
    }
  }

  private final class Out extends FilterOutputStream {

    Out(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      went(1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      out.write(from, offset, length);
      went(length);
    }

    private void went(int bytes) {
      bytesOut += bytes;
      firstByte = 0; // what came before was the answer to a ping
    }
  }
}

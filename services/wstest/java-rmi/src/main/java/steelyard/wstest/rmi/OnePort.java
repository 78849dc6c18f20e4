package steelyard.wstest.rmi;

import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.rmi.server.RMIServerSocketFactory;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;

/**
 * Sorts connections by their first bytes: those of RMI go to its runtime, all others are answered
 * as HTTP. Who is slow to say what it wants holds up nobody else.
 */
final class OnePort implements RMIServerSocketFactory, AutoCloseable {

  private static final byte[] JRMI = "JRMI".getBytes(StandardCharsets.US_ASCII);
  private static final int FIRST_BYTES_MS = 10_000;
  private static final int MOST_HEAD_BYTES = 8192;
  private static final int BACKLOG = 10_000; // the kernel's net.core.somaxconn may be less

  private final InetAddress address;
  private final UnaryOperator<String> pages;
  private final ExecutorService sorting = Executors.newCachedThreadPool(OnePort::inBackground);
  private Sorted listening;

  /**
   * @param pages what is answered for a path; null where there is nothing
   */
  OnePort(InetAddress address, UnaryOperator<String> pages) {
    this.address = address;
    this.pages = pages;
  }

  private static Thread inBackground(Runnable work) {
    var thread = new Thread(work, "connections");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public synchronized ServerSocket createServerSocket(int port) throws IOException {
    listening = new Sorted(new InetSocketAddress(address, port));
    sorting.execute(listening::sortAll);
    return listening;
  }

  @Override
  public synchronized void close() {
    if (listening != null) {
      listening.close();
    }
    sorting.shutdownNow();
  }

  /** A server socket that accepts connections of RMI alone. */
  private final class Sorted extends ServerSocket {

    private static final Socket ENDED = new Socket();

    private final LinkedBlockingQueue<Socket> ofRmi = new LinkedBlockingQueue<>();

    Sorted(InetSocketAddress where) throws IOException {
      setReuseAddress(true);
      bind(where, BACKLOG);
    }

    void sortAll() {
      try {
        while (true) {
          var connection = new BegunSocket();
          implAccept(connection);
          sorting.execute(() -> sort(connection));
        }
      } catch (IOException closed) {
        ofRmi.add(ENDED);
      }
    }

    private void sort(BegunSocket connection) {
      try {
        if (connection.beginsWith(JRMI)) {
          connection.setSoTimeout(0);
          ofRmi.add(connection);
          return;
        }
        answer(connection);
      } catch (IOException gone) {
        // Nobody is there to be told.
      }
      quietlyClose(connection);
    }

    @Override
    public Socket accept() throws IOException {
      try {
        Socket next = ofRmi.take();
        if (next != ENDED) {
          return next;
        }
        ofRmi.add(ENDED);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new SocketException("Socket closed");
    }

    @Override
    public void close() {
      quietlyClose(super::close);
    }
  }

  private void answer(BegunSocket connection) throws IOException {
    String head = head(connection.getInputStream());
    String[] words = head.lines().findFirst().orElse("").split(" ");
    boolean asked = words.length == 3 && words[0].equals("GET");
    String page = asked ? pages.apply(words[1]) : null;
    String status = page != null ? "200 OK" : asked ? "404 Not Found" : "400 Bad Request";
    byte[] body = (page == null ? "" : page).getBytes(StandardCharsets.UTF_8);
    String fields =
        "Content-Type: text/plain\r\nConnection: close\r\nContent-Length: " + body.length;
    var out = connection.getOutputStream();
    out.write(
        ("HTTP/1.1 " + status + "\r\n" + fields + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    out.write(body);
    out.flush();
  }

  /** What stands before the first empty line, or as much as anybody may say. */
  private static String head(InputStream in) throws IOException {
    var head = new StringBuilder();
    while (head.length() < MOST_HEAD_BYTES && head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      head.append((char) next);
    }
    return head.toString();
  }

  private static void quietlyClose(IoAction close) {
    try {
      close.run();
    } catch (IOException e) {
      // It is gone in any case.
    }
  }

  private static void quietlyClose(Socket socket) {
    quietlyClose(socket::close);
  }

  private interface IoAction {
    void run() throws IOException;
  }

  /** A connection whose first bytes were looked at, and are read again by who gets it. */
  private static final class BegunSocket extends Socket {

    private InputStream begun;

    boolean beginsWith(byte[] wanted) throws IOException {
      setSoTimeout(FIRST_BYTES_MS);
      InputStream raw = super.getInputStream();
      byte[] first = raw.readNBytes(wanted.length);
      var pushback = new PushbackInputStream(raw, wanted.length);
      pushback.unread(first);
      begun = pushback;
      return Arrays.equals(first, wanted);
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return begun == null ? super.getInputStream() : begun;
    }
  }
}

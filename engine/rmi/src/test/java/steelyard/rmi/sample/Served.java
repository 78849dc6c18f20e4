package steelyard.rmi.sample;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import steelyard.rmi.other.Alien;

/**
 * A registry with a Sample in it, which counts its calls and the connections to the object's port.
 */
public final class Served implements Sample, AutoCloseable {

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicInteger connections = new AtomicInteger();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Registry registry;
  private final int port;

  /**
   * @param elsewhere whether the object listens on another port than the registry
   */
  public Served(boolean elsewhere) throws Exception {
    System.setProperty("java.rmi.server.hostname", LOOPBACK.getHostAddress());
    port = freePort();
    RMIServerSocketFactory counting = this::listening;
    registry = LocateRegistry.createRegistry(port, null, elsewhere ? Served::onLoopback : counting);
    registry.rebind(
        "Sample",
        UnicastRemoteObject.exportObject(this, elsewhere ? freePort() : port, null, counting));
  }

  public int port() {
    return port;
  }

  public int calls() {
    return calls.get();
  }

  public int connections() {
    return connections.get();
  }

  private static ServerSocket onLoopback(int port) throws java.io.IOException {
    return new ServerSocket(port, 50, LOOPBACK);
  }

  private ServerSocket listening(int port) throws java.io.IOException {
    return new ServerSocket(port, 50, LOOPBACK) {
      @Override
      public Socket accept() throws java.io.IOException {
        Socket accepted = super.accept();
        connections.incrementAndGet();
        return accepted;
      }
    };
  }

  public static int freePort() throws java.io.IOException {
    try (var socket = new ServerSocket(0, 1, LOOPBACK)) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void nothing() {
    calls.incrementAndGet();
  }

  @Override
  public Item[] echo(Item[] items) {
    calls.incrementAndGet();
    return items;
  }

  @Override
  public Item wrong(Item item) {
    calls.incrementAndGet();
    return new Item(item.number() + 1, "wrong", null);
  }

  @Override
  public Object alien() {
    calls.incrementAndGet();
    return new Alien("mark");
  }

  @Override
  public void refuse() {
    throw new IllegalStateException("not today");
  }

  @Override
  public void hang() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws RemoteException {
    ended.countDown();
    UnicastRemoteObject.unexportObject(this, true);
    UnicastRemoteObject.unexportObject(registry, true);
  }
}

package steelyard.rmi.stamped;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.concurrent.locks.LockSupport;

/**
 * The bench's server: waits, says when it answers, and prints its port first: Server MICROSECONDS.
 */
public final class Server {

  private Server() {}

  public static void main(String[] arguments) throws Exception {
    long waits = Long.parseLong(arguments[0]) * 1000;
    InetAddress loopback = InetAddress.getLoopbackAddress();
    System.setProperty("java.rmi.server.hostname", loopback.getHostAddress());
    int port;
    try (var free = new ServerSocket(0, 1, loopback)) {
      port = free.getLocalPort();
    }
    RMIServerSocketFactory sockets = number -> new ServerSocket(number, 1000, loopback);
    Stamped stamped =
        () -> {
          long until = System.nanoTime() + waits;
          for (long left = waits; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
          }
          return new Stamp("right", System.nanoTime());
        };
    var registry = LocateRegistry.createRegistry(port, null, sockets);
    registry.rebind("Stamped", UnicastRemoteObject.exportObject(stamped, port, null, sockets));
    System.out.println(port);
    Thread.currentThread().join();
  }
}

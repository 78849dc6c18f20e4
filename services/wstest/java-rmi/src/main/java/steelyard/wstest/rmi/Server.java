package steelyard.wstest.rmi;

import java.io.IOException;
import java.net.InetAddress;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;

/**
 * A registry, the object WSTest in it, and the count of its calls for who asks by HTTP, on one port
 * of one address.
 *
 * <p>What is deserialized is bounded by the property jdk.serialFilter, which servers/java-rmi sets.
 */
public final class Server {

  static final String NAME = "WSTest";
  private static final String COUNT = "/wstest/count";

  private final Echoes echoes = new Echoes();
  private final OnePort port;
  private final Registry registry;

  Server(InetAddress address, int number) throws IOException {
    port = new OnePort(address, path -> path.equals(COUNT) ? Long.toString(echoes.calls()) : null);
    registry = LocateRegistry.createRegistry(number, null, port);
    // Bound last: who finds the object finds all of it.
    registry.rebind(NAME, UnicastRemoteObject.exportObject(echoes, number, null, port));
  }

  void close() throws RemoteException {
    UnicastRemoteObject.unexportObject(echoes, true);
    UnicastRemoteObject.unexportObject(registry, true);
    port.close();
  }

  /** Serves until it is ended: Server ADDRESS PORT. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    // What the stubs tell clients to connect to; read when the first object is exported.
    System.setProperty("java.rmi.server.hostname", arguments[0]);
    new Server(InetAddress.getByName(arguments[0]), Integer.parseInt(arguments[1]));
    Thread.currentThread().join();
  }
}

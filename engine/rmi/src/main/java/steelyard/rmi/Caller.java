package steelyard.rmi;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.Remote;
import java.rmi.UnmarshalException;
import java.rmi.registry.LocateRegistry;
import java.rmi.server.ObjID;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.RMISocketFactory;
import java.rmi.server.RemoteObject;
import java.rmi.server.RemoteObjectInvocationHandler;
import java.rmi.server.RemoteRef;
import java.util.Set;
import sun.rmi.server.UnicastRef;
import sun.rmi.server.UnicastRef2;
import sun.rmi.transport.LiveRef;
import sun.rmi.transport.tcp.TCPEndpoint;

/**
 * Calls a remote object over one line. The object is looked up by its name; of the stub that comes,
 * only the object's id is used, so that calls go to the address that the job names, whatever the
 * server says, and over this line.
 */
final class Caller {

  private final Contract contract;
  private final InetSocketAddress address;
  private final Line line;
  private final String name;
  private ObjID id;
  private RMIClientSocketFactory over;
  private Remote stub;
  private RemoteObjectInvocationHandler handler;

  Caller(Contract contract, InetSocketAddress address, String name, Line line) {
    this.contract = contract;
    this.address = address;
    this.name = name;
    this.line = line;
  }

  /**
   * Lets RMI's own connections, which keep the lookup's reference alive, go to these addresses
   * alone.
   */
  static void keepTo(Set<InetSocketAddress> targets, long timeoutNs) throws IOException {
    int timeoutMs = Math.clamp(timeoutNs / 1_000_000, 1, Integer.MAX_VALUE);
    RMISocketFactory.setSocketFactory(
        new RMISocketFactory() {
          @Override
          public Socket createSocket(String host, int port) throws IOException {
            var wanted = new InetSocketAddress(host, port);
            if (!targets.contains(wanted)) {
              throw new java.net.ConnectException(
                  "a reference leads to " + wanted + ", which is no target");
            }
            var socket = new Socket();
            socket.connect(wanted, timeoutMs);
            socket.setSoTimeout(timeoutMs);
            return socket;
          }

          @Override
          public ServerSocket createServerSocket(int port) throws IOException {
            throw new IOException("a driver exports no objects");
          }
        });
  }

  Line line() {
    return line;
  }

  /**
   * Looks the object up where that was not done yet, and refers to it over the line as it is now.
   */
  void find() throws Exception {
    if (id == null) {
      var registry =
          LocateRegistry.getRegistry(address.getHostString(), address.getPort(), line.factory());
      id = id(registry.lookup(name));
      stub = null;
    }
    if (stub == null || over != line.factory()) {
      over = line.factory();
      handler = new RemoteObjectInvocationHandler(reference(id));
      stub = stub(handler);
    }
  }

  /** The answer to a call, null where the method has none; throws what RMI and the method throw. */
  Object call(Method method, Object[] arguments) throws Throwable {
    find();
    return handler.invoke(stub, method, arguments);
  }

  /** Sends arguments of any class under any number of a method: what a stub would never do. */
  Object callAnyhow(Method method, Object[] arguments, long number) throws Exception {
    find();
    return handler.getRef().invoke(stub, method, arguments, number);
  }

  /** Calls an object that is not there. */
  Object callNobody(Method method, Object[] arguments) throws Throwable {
    var nobody = new RemoteObjectInvocationHandler(reference(new ObjID()));
    return nobody.invoke(stub(nobody), method, arguments);
  }

  /** The object is to be looked up anew. */
  void forget() {
    id = null;
  }

  private RemoteRef reference(ObjID object) {
    var endpoint =
        new TCPEndpoint(address.getHostString(), address.getPort(), line.factory(), null);
    return new UnicastRef2(new LiveRef(object, endpoint, false));
  }

  private Remote stub(RemoteObjectInvocationHandler calls) {
    Class<?>[] remote = {contract.remote()};
    return (Remote) Proxy.newProxyInstance(contract.loader(), remote, calls);
  }

  private static ObjID id(Remote found) throws UnmarshalException {
    RemoteRef ref = null;
    if (found instanceof RemoteObject object) {
      ref = object.getRef();
    } else if (Proxy.isProxyClass(found.getClass())
        && Proxy.getInvocationHandler(found) instanceof RemoteObject handler) {
      ref = handler.getRef();
    }
    if (ref instanceof UnicastRef unicast) {
      return unicast.getLiveRef().getObjID();
    }
    throw new UnmarshalException("what the registry holds is no reference to an object");
  }
}

package steelyard.wstest.rmi;

import java.rmi.Remote;
import java.rmi.RemoteException;

/**
 * WSTest's operations as a remote interface. Parameters have the names that JSON has for them,
 * which who calls by typed values reads from the compiled class.
 */
public interface WSTest extends Remote {

  void echoVoid() throws RemoteException;

  Struct[] echoStruct(Struct[] structs) throws RemoteException;

  /** The list given back; null where there was none. */
  ListItem echoList(ListItem list) throws RemoteException;

  Synthetic echoSynthetic(String text, Struct struct, byte[] bytes) throws RemoteException;

  /**
   * @param orderId 0 to 999999999
   */
  PurchaseOrder getOrder(int orderId) throws RemoteException;
}

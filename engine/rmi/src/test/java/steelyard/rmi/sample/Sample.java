package steelyard.rmi.sample;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** A contract whose object does what its methods are called. */
public interface Sample extends Remote {

  void nothing() throws RemoteException;

  Item[] echo(Item[] items) throws RemoteException;

  /** Another item than the one given. */
  Item wrong(Item item) throws RemoteException;

  /** An object of a class that the contract does not have. */
  Object alien() throws RemoteException;

  void refuse() throws RemoteException;

  void hang() throws RemoteException;
}

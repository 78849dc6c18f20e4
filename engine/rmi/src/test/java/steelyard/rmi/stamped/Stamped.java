package steelyard.rmi.stamped;

import java.rmi.Remote;
import java.rmi.RemoteException;

/** What the bench asks: an answer that tells when it was given. */
public interface Stamped extends Remote {

  Stamp stamp() throws RemoteException;
}

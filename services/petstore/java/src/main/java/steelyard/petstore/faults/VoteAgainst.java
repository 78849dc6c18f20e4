package steelyard.petstore.faults;

import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** A resource that takes part in a transaction only to refuse its commit: a planted fault. */
public final class VoteAgainst implements XAResource {

  @Override
  public int prepare(Xid transaction) throws XAException {
    throw new XAException(XAException.XA_RBROLLBACK);
  }

  @Override
  public void commit(Xid transaction, boolean onePhase) throws XAException {
    throw new XAException(XAException.XA_RBROLLBACK);
  }

  @Override
  public void start(Xid transaction, int flags) {
    // It has nothing to do.
  }

  @Override
  public void end(Xid transaction, int flags) {
    // It has nothing to do.
  }

  @Override
  public void rollback(Xid transaction) {
    // It has nothing to undo.
  }

  @Override
  public void forget(Xid transaction) {
    // It remembers none.
  }

  @Override
  public Xid[] recover(int flag) {
    return new Xid[0];
  }

  @Override
  public boolean isSameRM(XAResource other) {
    return this == other;
  }

  @Override
  public int getTransactionTimeout() {
    return 0;
  }

  @Override
  public boolean setTransactionTimeout(int seconds) {
    return false;
  }
}

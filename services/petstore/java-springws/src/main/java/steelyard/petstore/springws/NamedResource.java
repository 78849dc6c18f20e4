package steelyard.petstore.springws;

import com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecord;
import com.arjuna.ats.internal.jta.resources.arjunacore.XAResourceRecordWrappingPlugin;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/**
 * One who takes part in transactions, with a name. After a crash a decision is known to be carried
 * out where whoever has that name was asked and has nothing in doubt.
 */
record NamedResource(String name, XAResource resource) implements XAResourceWrapper {

  /** Writes the name down with what is decided. */
  static final class Names implements XAResourceRecordWrappingPlugin {

    @Override
    public void transcribeWrapperData(XAResourceRecord record) {
      if (record.value() instanceof XAResourceWrapper named) {
        record.setJndiName(named.getJndiName());
      }
    }

    @Override
    public Integer getEISName(XAResource resource) {
      return 0; // a transaction's branches need no name of their own
    }

    @Override
    public String getEISName(Integer known) {
      return "";
    }
  }

  @Override
  public XAResource getResource() {
    return resource;
  }

  @Override
  public String getProductName() {
    return name;
  }

  @Override
  public String getProductVersion() {
    return "";
  }

  @Override
  public String getJndiName() {
    return name;
  }

  @Override
  public boolean isSameRM(XAResource other) throws XAException {
    return resource.isSameRM(other instanceof NamedResource named ? named.resource : other);
  }

  @Override
  public void start(Xid branch, int flags) throws XAException {
    resource.start(branch, flags);
  }

  @Override
  public void end(Xid branch, int flags) throws XAException {
    resource.end(branch, flags);
  }

  @Override
  public int prepare(Xid branch) throws XAException {
    return resource.prepare(branch);
  }

  @Override
  public void commit(Xid branch, boolean onePhase) throws XAException {
    resource.commit(branch, onePhase);
  }

  @Override
  public void rollback(Xid branch) throws XAException {
    resource.rollback(branch);
  }

  @Override
  public void forget(Xid branch) throws XAException {
    resource.forget(branch);
  }

  @Override
  public Xid[] recover(int flag) throws XAException {
    return resource.recover(flag);
  }

  @Override
  public int getTransactionTimeout() throws XAException {
    return resource.getTransactionTimeout();
  }

  @Override
  public boolean setTransactionTimeout(int seconds) throws XAException {
    return resource.setTransactionTimeout(seconds);
  }
}

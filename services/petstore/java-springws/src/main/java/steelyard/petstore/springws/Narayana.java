package steelyard.petstore.springws;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.coordinator.TransactionReaper;
import com.arjuna.ats.arjuna.objectstore.StoreManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTAActionStatusServiceXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTANodeNameXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import jakarta.jms.JMSException;
import jakarta.jms.XAConnection;
import jakarta.jms.XAConnectionFactory;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.transaction.xa.XAResource;
import org.jboss.tm.XAResourceRecovery;
import org.jboss.tm.XAResourceRecoveryRegistry;

/**
 * The transaction manager of this process, which writes down what it has decided and, after a
 * crash, brings that to its end. Of a process there is one, as its own settings have it.
 */
final class Narayana implements AutoCloseable {

  static final String BROKER = "broker";
  static final String DATABASE = "database";
  private static final String NODE = "petstore"; // its own transactions are known by this
  // As shipped it looks every two minutes for what was left in doubt, and again after ten seconds.
  private static final int LOOK_SECONDS = 10;
  private static final int SECOND_LOOK_SECONDS = 5;

  private final RecoveryManager recoveryManager;
  private final XARecoveryModule resources;
  private volatile boolean looked;

  /** `folder` keeps what was decided; raises IllegalStateException where it cannot begin. */
  Narayana(Path folder) {
    arjPropertyManager.getObjectStoreEnvironmentBean().setObjectStoreDir(folder.toString());
    for (String store : List.of("communicationStore", "stateStore")) {
      BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store)
          .setObjectStoreDir(folder.toString());
    }
    try {
      arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(NODE);
    } catch (CoreEnvironmentBeanException refused) {
      throw new IllegalStateException("the transaction manager has no name", refused);
    }
    // It would listen at a port for others who ask how a transaction stands.
    arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
    var jta = jtaPropertyManager.getJTAEnvironmentBean();
    jta.setXaRecoveryNodes(List.of(NODE));
    jta.setXAResourceRecordWrappingPlugin(new NamedResource.Names());
    jta.setXaResourceOrphanFilterClassNames(
        List.of(
            JTATransactionLogXAResourceOrphanFilter.class.getName(),
            JTAActionStatusServiceXAResourceOrphanFilter.class.getName(),
            JTANodeNameXAResourceOrphanFilter.class.getName()));
    var recovery = recoveryPropertyManager.getRecoveryEnvironmentBean();
    recovery.setRecoveryListener(false);
    recovery.setPeriodicRecoveryPeriod(LOOK_SECONDS);
    recovery.setRecoveryBackoffPeriod(SECOND_LOOK_SECONDS);
    recovery.setRecoveryModuleClassNames(
        List.of(AtomicActionRecoveryModule.class.getName(), XARecoveryModule.class.getName()));
    recovery.setExpiryScannerClassNames(List.of());
    recoveryManager = RecoveryManager.manager(RecoveryManager.INDIRECT_MANAGEMENT);
    recoveryManager.initialize();
    resources = XARecoveryModule.getRegisteredXARecoveryModule();
  }

  /**
   * Looks at once for what an earlier process left in doubt, after all have said where that may be.
   */
  void look() {
    Thread looking =
        new Thread(
            () -> {
              recoveryManager.scan();
              looked = true;
            },
            "transactions-look");
    looking.setDaemon(true);
    looking.start();
  }

  /** Whether what an earlier process had decided is done. */
  boolean hasLooked() {
    return looked;
  }

  TransactionManager manager() {
    return com.arjuna.ats.jta.TransactionManager.transactionManager();
  }

  UserTransaction userTransaction() {
    return com.arjuna.ats.jta.UserTransaction.userTransaction();
  }

  TransactionSynchronizationRegistry synchronizations() {
    return new TransactionSynchronizationRegistryImple();
  }

  /** Where a pool of connections says what of its database may be in doubt. */
  XAResourceRecoveryRegistry recovery() {
    return new Registry(resources);
  }

  /** Messages that this broker has in doubt are looked after, too. */
  void recoverMessagesOf(XAConnectionFactory broker) {
    resources.addXAResourceRecoveryHelper(new Broker(broker));
  }

  @Override
  public void close() {
    recoveryManager.terminate();
    TransactionReaper.terminate(false);
    StoreManager.shutdown();
  }

  private record Registry(
      XARecoveryModule resources, Map<XAResourceRecovery, XAResourceRecoveryHelper> known)
      implements XAResourceRecoveryRegistry {

    Registry(XARecoveryModule resources) {
      this(resources, new ConcurrentHashMap<>());
    }

    @Override
    public void addXAResourceRecovery(XAResourceRecovery added) {
      resources.addXAResourceRecoveryHelper(known.computeIfAbsent(added, Helper::new));
    }

    @Override
    public void removeXAResourceRecovery(XAResourceRecovery removed) {
      XAResourceRecoveryHelper helper = known.remove(removed);
      if (helper != null) {
        resources.removeXAResourceRecoveryHelper(helper);
      }
    }
  }

  private record Helper(XAResourceRecovery recovery) implements XAResourceRecoveryHelper {

    @Override
    public boolean initialise(String settings) {
      return true;
    }

    @Override
    public XAResource[] getXAResources() {
      return recovery.getXAResources();
    }
  }

  /**
   * One connection that stays: what a look has found is ended by the same one, which may be several
   * looks later.
   */
  private static final class Broker implements XAResourceRecoveryHelper {

    private final XAConnectionFactory broker;
    private XAResource kept; // null: none, or its connection is broken

    Broker(XAConnectionFactory broker) {
      this.broker = broker;
    }

    @Override
    public boolean initialise(String settings) {
      return true;
    }

    /** Raises JMSException where the broker is away: the next look asks again. */
    @Override
    public synchronized XAResource[] getXAResources() throws JMSException {
      if (kept == null) {
        XAConnection connection = broker.createXAConnection();
        connection.setExceptionListener(broken -> forget());
        kept = new NamedResource(BROKER, connection.createXASession().getXAResource());
      }
      return new XAResource[] {kept};
    }

    private synchronized void forget() {
      kept = null;
    }
  }
}

package steelyard.petstore.springws;

import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import java.util.Map;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import steelyard.petstore.faults.VoteAgainst;
import steelyard.petstore.messaging.Transactions;

/** The transaction of a message, which its step joins, and others beside. */
final class JtaTransactions implements Transactions {

  private final TransactionTemplate joining;
  private final TransactionTemplate apart;
  private final Narayana narayana;
  private final ActiveMQServer broker;

  JtaTransactions(PlatformTransactionManager spring, Narayana narayana, ActiveMQServer broker) {
    joining = new TransactionTemplate(spring);
    joining.setPropagationBehavior(TransactionDefinition.PROPAGATION_MANDATORY);
    apart = new TransactionTemplate(spring);
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    this.narayana = narayana;
    this.broker = broker;
  }

  @Override
  public void ofStep(Runnable work) {
    joining.executeWithoutResult(status -> work.run());
  }

  @Override
  public void ofDatabase(Runnable work) {
    apart.executeWithoutResult(status -> work.run());
  }

  @Override
  public void failCommitOfStep() {
    try {
      narayana.manager().getTransaction().enlistResource(new VoteAgainst());
    } catch (RollbackException | SystemException ended) {
      throw new IllegalStateException("the transaction is at its end already", ended);
    }
  }

  /**
   * `in_doubt`: transactions that the broker has prepared and not been told the end of, and one
   * more until the first look is over: what a killed process had decided may stand in the database
   * alone. What they took and sent is in no queue.
   */
  @Override
  public Map<String, Long> gauges() {
    long prepared = broker.getResourceManager().getPreparedTransactions().size();
    return Map.of("in_doubt", narayana.hasLooked() ? prepared : prepared + 1);
  }
}

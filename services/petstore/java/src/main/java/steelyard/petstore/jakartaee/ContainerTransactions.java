package steelyard.petstore.jakartaee;

import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import steelyard.petstore.faults.VoteAgainst;
import steelyard.petstore.messaging.Transactions;

/** The server's transactions: those of messages, which it begins by itself, and others beside. */
@Singleton
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
public class ContainerTransactions implements Transactions {

  private final TransactionManager manager = Container.here().transactionManager();

  @Override
  @TransactionAttribute(TransactionAttributeType.MANDATORY)
  public void ofStep(Runnable work) {
    work.run();
  }

  @Override
  @TransactionAttribute(TransactionAttributeType.REQUIRES_NEW)
  public void ofDatabase(Runnable work) {
    work.run();
  }

  @Override
  @TransactionAttribute(TransactionAttributeType.MANDATORY)
  public void failCommitOfStep() {
    try {
      manager.getTransaction().enlistResource(new VoteAgainst());
    } catch (RollbackException | SystemException ended) {
      throw new IllegalStateException("the transaction is at its end already", ended);
    }
  }
}

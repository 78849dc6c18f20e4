package steelyard.petstore.springws;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import steelyard.petstore.messaging.Transactions;

/**
 * Transactions of the database. That of a step is one, too: it commits just before its message
 * does, which no transaction joins to it.
 */
final class DatabaseTransactions implements Transactions {

  private final TransactionTemplate template;

  DatabaseTransactions(PlatformTransactionManager manager) {
    template = new TransactionTemplate(manager);
  }

  @Override
  public void ofStep(Runnable work) {
    ofDatabase(work);
  }

  @Override
  public void ofDatabase(Runnable work) {
    template.executeWithoutResult(status -> work.run());
  }

  @Override
  public void failCommitOfStep() {
    throw new IllegalStateException("a planted fault between the commits of database and message");
  }
}

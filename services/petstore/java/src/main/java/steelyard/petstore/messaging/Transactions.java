package steelyard.petstore.messaging;

import java.util.Map;

/** The transactions that a platform has. */
public interface Transactions {

  /**
   * Runs a step in the transaction of the message that began it, as far as the platform joins both;
   * what `work` raises undoes it, and is raised again now or when the transaction ends.
   */
  void ofStep(Runnable work);

  /**
   * Runs work in a transaction of its own that the database alone takes part in. It is over when
   * this returns: committed, or undone where `work` raised something, which is raised again.
   */
  void ofDatabase(Runnable work);

  /**
   * Has the end of the running step's transaction fail, once its work is done and what it sends was
   * taken: its vote is against the commit, or where message and database commit one after the
   * other, it ends between the two.
   */
  void failCommitOfStep();

  /** What is counted of transactions that span web services, since it was asked last, by name. */
  default Map<String, Long> gauges() {
    return Map.of();
  }
}

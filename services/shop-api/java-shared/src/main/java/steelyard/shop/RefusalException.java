package steelyard.shop;

/** Ends the work on a request, and the transaction, because the request is refused. */
public final class RefusalException extends RuntimeException {

  private final Refusal refusal;

  public RefusalException(Refusal refusal) {
    // It has no stack trace: it is an answer, one order in twenty gets it, and nobody reads it.
    super(refusal.answer().error(), null, false, false);
    this.refusal = refusal;
  }

  public Refusal refusal() {
    return refusal;
  }
}

package steelyard.shop;

/** Why a request is refused. */
public enum Refusal {
  NOT_VALID(400, "not valid"),
  NOT_FOUND(404, "not found"),
  OUT_OF_STOCK(409, "out of stock");

  private final int status;
  private final ErrorAnswer answer;

  Refusal(int status, String error) {
    this.status = status;
    this.answer = new ErrorAnswer(error);
  }

  /** The status in HTTP. */
  public int status() {
    return status;
  }

  /** The body of the answer. */
  public ErrorAnswer answer() {
    return answer;
  }
}

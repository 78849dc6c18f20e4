package steelyard.flight.domain;

/** Why a request cannot be fulfilled: the client's mistake or bad luck, never the system's. */
public class FlightException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** The kinds there are, as the contract names them. */
  public enum Reason {
    UNKNOWN_AIRPORT("unknown-airport", "there is no airport %s"),
    UNKNOWN_FLIGHT("unknown-flight", "there is no flight %s"),
    NO_SUCH_DATE("no-such-date", "there are no flights on %s"),
    FULL_FLIGHT("full-flight", "flight %s has not so many seats left"),
    BAD_PASSENGER("bad-passenger", "the passenger with passport %s cannot fly"),
    INCOMPLETE("incomplete", "the request lacks a right %s");

    private final String word;
    private final String sentence;

    Reason(String word, String sentence) {
      this.word = word;
      this.sentence = sentence;
    }

    public String word() {
      return word;
    }
  }

  private final Reason reason;
  private final String value;

  public FlightException(Reason reason, String value) {
    super(reason.sentence.formatted(value), null, false, false); // no trace: it is no defect
    this.reason = reason;
    this.value = value;
  }

  public Reason reason() {
    return reason;
  }

  /** What of the request was refused. */
  public String value() {
    return value;
  }
}

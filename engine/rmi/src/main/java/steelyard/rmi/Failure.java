package steelyard.rmi;

import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectStreamException;
import java.net.SocketTimeoutException;
import java.rmi.ConnectIOException;
import java.rmi.MarshalException;
import java.rmi.RemoteException;
import java.rmi.ServerError;
import java.rmi.ServerException;
import java.rmi.UnmarshalException;

/** The ways in which a request fails, in the order of the columns that they have. */
enum Failure {
  REFUSED,
  RESET,
  TIMEOUT,
  TLS,
  MALFORMED,
  STATUS,
  FAULT,
  TRUNCATED,
  STALE_FAILED,
  CAPTURE;

  /** As the columns and samples call it. */
  String column() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /**
   * What an exception of a call means.
   *
   * @param begun whether some of the answer had come
   */
  static Failure of(Throwable thrown, boolean begun) {
    return switch (thrown) {
      case ServerException e -> FAULT;
      case ServerError e -> FAULT;
      case java.rmi.NoSuchObjectException e -> FAULT;
      case java.rmi.ConnectException e -> REFUSED;
      case java.rmi.UnknownHostException e -> REFUSED;
      case ConnectIOException e -> whileConnecting(e);
      case MarshalException e -> RESET; // the request did not get through
      case UnmarshalException e -> ofAnswer(e, begun);
      case RemoteException e -> FAULT;
      case StackOverflowError e -> MALFORMED; // an answer deeper than can be read
      case OutOfMemoryError e -> MALFORMED;
      case LinkageError e -> MALFORMED;
      default -> FAULT; // what the remote method threw
    };
  }

  private static Failure whileConnecting(ConnectIOException error) {
    return switch (error.getCause()) {
      case SocketTimeoutException e -> TIMEOUT;
      case EOFException e -> RESET;
      case java.net.SocketException e -> RESET;
      case null, default -> MALFORMED; // it speaks something else
    };
  }

  private static Failure ofAnswer(UnmarshalException error, boolean begun) {
    return switch (error.getCause()) {
      case SocketTimeoutException e -> TIMEOUT;
      case ObjectStreamException e -> MALFORMED; // a class that the filter does not let in, too
      case EOFException e -> begun ? TRUNCATED : RESET;
      case IOException e -> begun ? TRUNCATED : RESET;
      case null, default -> MALFORMED;
    };
  }
}

package steelyard.soakit.service;

import jakarta.xml.ws.WebServiceException;

/**
 * A document that cannot be taken; its sender gets a fault with the reason. Public, since what a
 * class loader of our own made throws it, too.
 */
public final class BadDocument extends WebServiceException {

  private static final long serialVersionUID = 1;

  public BadDocument(String reason) {
    super(reason);
  }

  public BadDocument(String reason, Throwable cause) {
    super(reason, cause);
  }
}

package steelyard.soakit.service;

import jakarta.xml.ws.WebServiceException;

/** A document that cannot be taken; its sender gets a fault with the reason. */
final class BadDocument extends WebServiceException {

  private static final long serialVersionUID = 1;

  BadDocument(String reason) {
    super(reason);
  }

  BadDocument(String reason, Throwable cause) {
    super(reason, cause);
  }
}

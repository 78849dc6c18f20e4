package steelyard.soakit.service;

/**
 * How a document stands in a message: alone, in an element of the service's, or as an rpc's part.
 */
enum Style {
  BARE,
  WRAPPED,
  RPC;

  /** The part of an rpc's element that is the document; it stands in no namespace. */
  static final String PART = "document";
}

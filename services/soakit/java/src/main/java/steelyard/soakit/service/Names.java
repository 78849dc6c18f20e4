package steelyard.soakit.service;

/** The namespaces of the contract. */
final class Names {

  static final String SERVICE = "urn:steelyard:soakit";
  static final String COMMON = "urn:steelyard:soakit:common";
  static final String ORDER = "urn:steelyard:soakit:order";
  static final String NEWS = "urn:steelyard:soakit:news";
  static final String BUFFET = "urn:steelyard:soakit:buffet";

  private Names() {}
}

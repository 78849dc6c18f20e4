package steelyard.soakit.service;

/**
 * The three use cases, with the document that each is asked by and the element that may be around
 * it.
 */
enum UseCase {
  TV_DINNER("tvDinner", Names.ORDER, "ProcessPurchaseOrder"),
  SUSHI_BOATS("sushiBoats", Names.NEWS, "NewsPosting"),
  BUFFET("buffet", Names.BUFFET, "Order");

  private final String wrapper;
  private final String namespace;
  private final String document;

  UseCase(String wrapper, String namespace, String document) {
    this.wrapper = wrapper;
    this.namespace = namespace;
    this.document = document;
  }

  /** The local name of the element around the document, where there is one. */
  String wrapper() {
    return wrapper;
  }

  /** An answer with the service's own element around it. */
  String wrapped(String answer) {
    String name = wrapper + "Response";
    return "<k:" + name + " xmlns:k=\"" + Names.SERVICE + "\">" + answer + "</k:" + name + ">";
  }

  boolean isWrapper(String space, String local) {
    return Names.SERVICE.equals(space) && wrapper.equals(local);
  }

  /** Throws where this is not the element that the use case is asked by. */
  void require(String space, String local) {
    if (!namespace.equals(space) || !document.equals(local)) {
      throw new BadDocument("a " + document + " is due, not {" + space + "}" + local);
    }
  }
}

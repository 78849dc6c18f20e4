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

  /** The local name of the element around an answer; a bare one has none. */
  String around(Style style) {
    return wrapper + (style == Style.RPC ? "Rpc" : "") + "Response";
  }

  /** An answer as a message's content of this style; that of an rpc is a part already. */
  String within(Style style, String answer) {
    if (style == Style.BARE) {
      return answer;
    }
    String name = around(style);
    return "<k:" + name + " xmlns:k=\"" + Names.SERVICE + "\">" + answer + "</k:" + name + ">";
  }

  /** The style of a message by its content's element. */
  Style style(String space, String local) {
    if (!Names.SERVICE.equals(space)) {
      return Style.BARE;
    }
    if (local.equals(wrapper + "Rpc")) {
      return Style.RPC;
    }
    return local.equals(wrapper) ? Style.WRAPPED : Style.BARE;
  }

  /** Throws where this is not the element that the use case is asked by in this style. */
  void require(Style style, String space, String local) {
    boolean due =
        style == Style.RPC
            ? (space == null || space.isEmpty()) && Style.PART.equals(local)
            : namespace.equals(space) && document.equals(local);
    if (!due) {
      throw new BadDocument("a " + document + " is due, not {" + space + "}" + local);
    }
  }
}

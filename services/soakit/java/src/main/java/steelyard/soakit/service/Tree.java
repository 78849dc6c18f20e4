package steelyard.soakit.service;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.transform.Source;
import javax.xml.transform.dom.DOMSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** DOM: the whole document as a tree, which is walked. */
final class Tree implements Technique {

  @Override
  public String answer(UseCase useCase, String document) {
    Element root = Trees.parsed(document);
    Trees.requireShallow(root);
    useCase.require(Style.BARE, root.getNamespaceURI(), root.getLocalName());
    return Trees.text(written(useCase, Style.BARE, read(useCase, root)));
  }

  @Override
  public Source answer(UseCase useCase, Source document) {
    return new DOMSource(answer(useCase, Trees.of(document)));
  }

  /** The answer to a message's content, wherever its tree comes from. */
  static Document answer(UseCase useCase, Element content) {
    Trees.requireShallow(content);
    Style style = useCase.style(content.getNamespaceURI(), content.getLocalName());
    Element document = style == Style.BARE ? content : only(content);
    useCase.require(style, document.getNamespaceURI(), document.getLocalName());
    return written(useCase, style, read(useCase, document));
  }

  private static Element only(Element wrapper) {
    var children = Trees.children(wrapper).iterator();
    if (!children.hasNext()) {
      throw new BadDocument("the message holds no document");
    }
    Element document = children.next();
    if (children.hasNext()) {
      throw new BadDocument("the message holds more than a document");
    }
    return document;
  }

  private static Document written(UseCase useCase, Style style, Answer answer) {
    Document document = Trees.empty();
    Node around = document;
    if (style != Style.BARE) {
      Element element = document.createElementNS(Names.SERVICE, "k:" + useCase.around(style));
      bind(element, "k", Names.SERVICE);
      around = document.appendChild(element);
    }
    answer.to(new Nodes(document, around, answer.namespace(), style));
    return document;
  }

  private static void bind(Element element, String prefix, String namespace) {
    element.setAttributeNS(XMLConstants.XMLNS_ATTRIBUTE_NS_URI, "xmlns:" + prefix, namespace);
  }

  private static Answer read(UseCase useCase, Element document) {
    return switch (useCase) {
      case TV_DINNER -> order(document);
      case SUSHI_BOATS -> news(document);
      case BUFFET -> buffet(document);
    };
  }

  private static Answer order(Element document) {
    var book = new OrderBook();
    for (Element area : Trees.children(document)) {
      for (Element element : Trees.children(area)) {
        if (Trees.is(element, Names.ORDER, "DocumentId")) {
          book.documentId(Trees.text(element));
        } else if (Trees.is(element, Names.ORDER, "PurchaseOrder")) {
          purchaseOrder(element, book);
        }
      }
    }
    return book.acknowledged();
  }

  private static void purchaseOrder(Element order, OrderBook book) {
    for (Element element : Trees.children(order)) {
      if (Trees.is(element, Names.ORDER, "Line")) {
        line(element, book);
      } else if (Trees.is(element, Names.ORDER, "Header")) {
        header(element, book);
      }
    }
  }

  private static void header(Element header, OrderBook book) {
    for (Element element : Trees.children(header)) {
      if (Trees.is(element, Names.ORDER, "OrderId")) {
        book.orderId(Trees.text(element));
      } else if (Trees.is(element, Names.ORDER, "Priority")) {
        book.priority(Trees.text(element).strip());
      } else if (Trees.is(element, Names.ORDER, "Party")
          && Trees.isOf(element, Names.COMMON, "BuyerParty")) {
        buyer(element, book);
      }
    }
  }

  private static void buyer(Element party, OrderBook book) {
    String name = null;
    int telephones = 0;
    for (Element element : Trees.children(party)) {
      if (Trees.is(element, Names.COMMON, "Name")) {
        name = Trees.text(element);
      } else if (Trees.is(element, Names.COMMON, "Contact")) {
        for (Element one : Trees.children(element)) {
          telephones += Trees.is(one, Names.COMMON, "Telephone") ? 1 : 0;
        }
      }
    }
    book.buyer(name, telephones);
  }

  private static void line(Element line, OrderBook book) {
    book.beginLine();
    for (Element element : Trees.children(line)) {
      if (Trees.is(element, Names.ORDER, "Subline")) {
        subline(element, book);
      } else if (Trees.is(element, Names.ORDER, "LineNumber")) {
        book.lineNumber(Values.integer(Trees.text(element)));
      }
    }
    book.endLine();
  }

  private static void subline(Element subline, OrderBook book) {
    book.beginSubline();
    for (Element element : Trees.children(subline)) {
      if (!Names.ORDER.equals(element.getNamespaceURI())) {
        continue;
      }
      switch (element.getLocalName()) {
        case "Item" -> {
          if (Trees.isOf(element, Names.ORDER, "KitItem")) {
            book.kit();
          }
        }
        case "Quantity" -> book.quantity(Values.decimal(Trees.text(element)));
        case "Price" -> book.price(Values.decimal(amount(element)));
        case "Freight" -> book.freight(Values.decimal(amount(element)));
        case "Discount" -> book.discount(Values.decimal(amount(element)));
        default -> {
          // nothing of it is asked for
        }
      }
    }
    book.endSubline();
  }

  private static String amount(Element around) {
    for (Element element : Trees.children(around)) {
      if (Trees.is(element, Names.ORDER, "Amount")) {
        return Trees.text(element);
      }
    }
    return "";
  }

  private static Answer news(Element posting) {
    if (!posting.hasAttribute("id")) {
      throw new BadDocument("the posting has no id");
    }
    var interests = new HashSet<String>();
    List<Answer.Digest.Kept> kept = new ArrayList<>();
    int stories = 0;
    for (Element element : Trees.children(posting)) {
      if (Trees.is(element, Names.NEWS, "Story")) {
        stories++;
        if (interests.contains(element.getAttribute("topic"))) {
          kept.add(story(element));
        }
      } else if (Trees.is(element, Names.NEWS, "Interests")) {
        for (Element topic : Trees.children(element)) {
          interests.add(Trees.text(topic).strip());
        }
      }
    }
    return new Answer.Digest(posting.getAttribute("id"), stories, kept);
  }

  private static Answer.Digest.Kept story(Element story) {
    String headline = "";
    int characters = 0;
    for (Element element : Trees.children(story)) {
      if (Trees.is(element, Names.NEWS, "Headline")) {
        headline = Trees.text(element);
      } else if (Trees.is(element, Names.NEWS, "Body")) {
        for (Element one : Trees.children(element)) {
          String paragraph = Trees.text(one);
          characters += paragraph.codePointCount(0, paragraph.length());
        }
      }
    }
    return new Answer.Digest.Kept(
        story.getAttribute("id"),
        headline,
        story.hasAttribute("priority") ? story.getAttribute("priority") : null,
        story.hasAttributeNS(Names.COMMON, "language")
            ? story.getAttributeNS(Names.COMMON, "language")
            : null,
        characters);
  }

  private static Answer buffet(Element order) {
    var rules = new OrderRules();
    for (Element element : Trees.children(order)) {
      if (Trees.is(element, Names.BUFFET, "Header")) {
        rules.header(texts(element, OrderRules.HEADER));
      } else if (Trees.is(element, Names.BUFFET, "Parts")) {
        for (Element part : Trees.children(element)) {
          rules.part(texts(part, OrderRules.PART));
        }
      }
    }
    return rules.validation();
  }

  private static String[] texts(Element parent, List<String> names) {
    var texts = new String[names.size()];
    for (Element element : Trees.children(parent)) {
      int place = names.indexOf(element.getLocalName());
      if (place >= 0) {
        texts[place] = Trees.text(element);
      }
    }
    return texts;
  }

  /** An answer's elements as nodes. */
  private static final class Nodes implements Output {

    private final Document document;
    private final String namespace;
    private final boolean part;
    private Node around;
    private boolean bound;

    Nodes(Document document, Node around, String namespace, Style style) {
      this.document = document;
      this.around = around;
      this.namespace = namespace;
      part = style == Style.RPC;
    }

    @Override
    public void open(String name) {
      Element element =
          part && !bound
              ? document.createElementNS(null, Style.PART)
              : document.createElementNS(namespace, "a:" + name);
      if (!bound) {
        bind(element, "a", namespace);
        bound = true;
      }
      around = around.appendChild(element);
    }

    @Override
    public void leaf(String name, Object value) {
      open(name);
      around.appendChild(document.createTextNode(value.toString()));
      close();
    }

    @Override
    public void close() {
      around = around.getParentNode();
    }
  }
}

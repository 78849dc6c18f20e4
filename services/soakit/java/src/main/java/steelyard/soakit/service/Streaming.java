package steelyard.soakit.service;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;

/** StAX: a cursor over the document, and of what is not asked for nothing is kept. */
final class Streaming implements Technique {

  private final Parsers parsers;

  Streaming(Parsers parsers) {
    this.parsers = parsers;
  }

  @Override
  public String answer(UseCase useCase, String document) {
    var cursor = new Cursor(parsers.reader(document));
    cursor.root();
    useCase.require(Style.BARE, cursor.namespace(), cursor.name());
    Answer answer = read(useCase, cursor);
    cursor.end();
    return written(useCase, Style.BARE, answer);
  }

  /**
   * The standard gives a provider no stream of events, whatever the stack reads by: what it gives
   * is written out and read again.
   */
  @Override
  public Source answer(UseCase useCase, Source document) {
    var cursor = new Cursor(parsers.reader(document));
    cursor.root();
    Style style = cursor.enter(useCase);
    Answer answer = read(useCase, cursor);
    cursor.leave(style);
    return new StreamSource(new StringReader(written(useCase, style, answer)));
  }

  private String written(UseCase useCase, Style style, Answer answer) {
    try {
      var text = new StringWriter();
      XMLStreamWriter writer = parsers.output().createXMLStreamWriter(text);
      if (style != Style.BARE) {
        writer.writeStartElement("k", useCase.around(style), Names.SERVICE);
        writer.writeNamespace("k", Names.SERVICE);
      }
      answer.to(new Events(writer, answer.namespace(), style));
      if (style != Style.BARE) {
        writer.writeEndElement();
      }
      writer.close();
      return text.toString();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("the answer cannot be written", e);
    }
  }

  private static Answer read(UseCase useCase, Cursor cursor) {
    return switch (useCase) {
      case TV_DINNER -> order(cursor);
      case SUSHI_BOATS -> news(cursor);
      case BUFFET -> buffet(cursor);
    };
  }

  private static Answer order(Cursor cursor) {
    var book = new OrderBook();
    while (cursor.child()) {
      if (cursor.is(Names.ORDER, "ApplicationArea")) {
        while (cursor.child()) {
          if (cursor.is(Names.ORDER, "DocumentId")) {
            book.documentId(cursor.text());
          } else {
            cursor.skip();
          }
        }
      } else if (cursor.is(Names.ORDER, "DataArea")) {
        while (cursor.child()) {
          if (cursor.is(Names.ORDER, "PurchaseOrder")) {
            purchaseOrder(cursor, book);
          } else {
            cursor.skip();
          }
        }
      } else {
        cursor.skip();
      }
    }
    return book.acknowledged();
  }

  private static void purchaseOrder(Cursor cursor, OrderBook book) {
    while (cursor.child()) {
      if (cursor.is(Names.ORDER, "Line")) {
        line(cursor, book);
      } else if (cursor.is(Names.ORDER, "Header")) {
        header(cursor, book);
      } else {
        cursor.skip();
      }
    }
  }

  private static void header(Cursor cursor, OrderBook book) {
    while (cursor.child()) {
      if (cursor.is(Names.ORDER, "OrderId")) {
        book.orderId(cursor.text());
      } else if (cursor.is(Names.ORDER, "Priority")) {
        book.priority(cursor.text().strip());
      } else if (cursor.is(Names.ORDER, "Party") && cursor.isOf(Names.COMMON, "BuyerParty")) {
        buyer(cursor, book);
      } else {
        cursor.skip();
      }
    }
  }

  private static void buyer(Cursor cursor, OrderBook book) {
    String name = null;
    int telephones = 0;
    while (cursor.child()) {
      if (cursor.is(Names.COMMON, "Name")) {
        name = cursor.text();
      } else if (cursor.is(Names.COMMON, "Contact")) {
        while (cursor.child()) {
          telephones += cursor.is(Names.COMMON, "Telephone") ? 1 : 0;
          cursor.skip();
        }
      } else {
        cursor.skip();
      }
    }
    book.buyer(name, telephones);
  }

  private static void line(Cursor cursor, OrderBook book) {
    book.beginLine();
    while (cursor.child()) {
      if (cursor.is(Names.ORDER, "Subline")) {
        subline(cursor, book);
      } else if (cursor.is(Names.ORDER, "LineNumber")) {
        book.lineNumber(Values.integer(cursor.text()));
      } else {
        cursor.skip();
      }
    }
    book.endLine();
  }

  private static void subline(Cursor cursor, OrderBook book) {
    book.beginSubline();
    while (cursor.child()) {
      if (!Names.ORDER.equals(cursor.namespace())) {
        cursor.skip();
        continue;
      }
      switch (cursor.name()) {
        case "Item" -> {
          if (cursor.isOf(Names.ORDER, "KitItem")) {
            book.kit();
          }
          cursor.skip();
        }
        case "Quantity" -> book.quantity(Values.decimal(cursor.text()));
        case "Price" -> book.price(Values.decimal(amount(cursor)));
        case "Freight" -> book.freight(Values.decimal(amount(cursor)));
        case "Discount" -> book.discount(Values.decimal(amount(cursor)));
        default -> cursor.skip();
      }
    }
    book.endSubline();
  }

  private static String amount(Cursor cursor) {
    String amount = "";
    while (cursor.child()) {
      if (cursor.is(Names.ORDER, "Amount")) {
        amount = cursor.text();
      } else {
        cursor.skip();
      }
    }
    return amount;
  }

  private static Answer news(Cursor cursor) {
    String posting = cursor.attribute("id");
    if (posting == null) {
      throw new BadDocument("the posting has no id");
    }
    var interests = new HashSet<String>();
    List<Answer.Digest.Kept> kept = new ArrayList<>();
    int stories = 0;
    while (cursor.child()) {
      if (cursor.is(Names.NEWS, "Story")) {
        stories++;
        if (interests.contains(cursor.attribute("topic"))) {
          kept.add(story(cursor));
        } else {
          cursor.skip();
        }
      } else if (cursor.is(Names.NEWS, "Interests")) {
        while (cursor.child()) {
          interests.add(cursor.text().strip());
        }
      } else {
        cursor.skip();
      }
    }
    return new Answer.Digest(posting, stories, kept);
  }

  private static Answer.Digest.Kept story(Cursor cursor) {
    String id = cursor.attribute("id");
    String priority = cursor.attribute("priority");
    String language = cursor.attribute(Names.COMMON, "language");
    String headline = "";
    int characters = 0;
    while (cursor.child()) {
      if (cursor.is(Names.NEWS, "Headline")) {
        headline = cursor.text();
      } else if (cursor.is(Names.NEWS, "Body")) {
        while (cursor.child()) {
          String paragraph = cursor.text();
          characters += paragraph.codePointCount(0, paragraph.length());
        }
      } else {
        cursor.skip();
      }
    }
    return new Answer.Digest.Kept(id, headline, priority, language, characters);
  }

  private static Answer buffet(Cursor cursor) {
    var rules = new OrderRules();
    while (cursor.child()) {
      if (cursor.is(Names.BUFFET, "Header")) {
        rules.header(texts(cursor, OrderRules.HEADER));
      } else if (cursor.is(Names.BUFFET, "Parts")) {
        while (cursor.child()) {
          rules.part(texts(cursor, OrderRules.PART));
        }
      } else {
        cursor.skip();
      }
    }
    return rules.validation();
  }

  private static String[] texts(Cursor cursor, List<String> names) {
    var texts = new String[names.size()];
    while (cursor.child()) {
      int place = names.indexOf(cursor.name());
      if (place < 0) {
        cursor.skip();
      } else {
        texts[place] = cursor.text();
      }
    }
    return texts;
  }

  /** An answer's elements as events. */
  private static final class Events implements Output {

    private final XMLStreamWriter writer;
    private final String namespace;
    private final boolean part;
    private boolean bound;

    Events(XMLStreamWriter writer, String namespace, Style style) {
      this.writer = writer;
      this.namespace = namespace;
      part = style == Style.RPC;
    }

    @Override
    public void open(String name) {
      try {
        if (part && !bound) {
          writer.writeStartElement(Style.PART);
        } else {
          writer.writeStartElement("a", name, namespace);
        }
        if (!bound) {
          writer.writeNamespace("a", namespace);
          bound = true;
        }
      } catch (XMLStreamException e) {
        throw new IllegalStateException("the answer cannot be written", e);
      }
    }

    @Override
    public void leaf(String name, Object value) {
      open(name);
      try {
        writer.writeCharacters(value.toString());
      } catch (XMLStreamException e) {
        throw new IllegalStateException("the answer cannot be written", e);
      }
      close();
    }

    @Override
    public void close() {
      try {
        writer.writeEndElement();
      } catch (XMLStreamException e) {
        throw new IllegalStateException("the answer cannot be written", e);
      }
    }
  }
}

package steelyard.soakit.service;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;

/** What a use case answers, before it is XML. */
sealed interface Answer {

  /** The namespace of the document. */
  String namespace();

  /** Writes itself; the names are those of the contract's schemas. */
  void to(Output out);

  /** TV Dinner: a purchase order acknowledged. */
  record Acknowledgement(
      String original,
      String orderId,
      String buyer,
      String priority,
      int telephones,
      List<Line> lines,
      BigDecimal amount)
      implements Answer {

    /** What was counted and added up in a line. */
    record Line(
        BigInteger number, int sublines, int kits, BigDecimal quantity, BigDecimal amount) {}

    String response() {
      return lines.isEmpty() ? "Empty" : "Accepted";
    }

    @Override
    public String namespace() {
      return Names.ORDER;
    }

    @Override
    public void to(Output out) {
      out.open("AcknowledgePurchaseOrder");
      out.leaf("Original", original);
      out.open("DataArea");
      out.open("Acknowledge");
      out.leaf("Response", response());
      out.close();
      out.open("PurchaseOrder");
      out.leaf("OrderId", orderId);
      out.leaf("Buyer", buyer);
      out.leaf("Priority", priority);
      out.leaf("Telephones", telephones);
      for (Line line : lines) {
        out.open("Line");
        out.leaf("LineNumber", line.number());
        out.leaf("Sublines", line.sublines());
        out.leaf("Kits", line.kits());
        out.leaf("Quantity", line.quantity().toPlainString());
        out.leaf("Amount", line.amount().toPlainString());
        out.close();
      }
      out.leaf("Amount", amount.toPlainString());
      out.close();
      out.close();
      out.close();
    }
  }

  /** Sushi Boats: the stories that were kept. */
  record Digest(String posting, int stories, List<Kept> kept) implements Answer {

    /** A story; priority and language are null where the story has none. */
    record Kept(String id, String headline, String priority, String language, int characters) {}

    @Override
    public String namespace() {
      return Names.NEWS;
    }

    @Override
    public void to(Output out) {
      out.open("NewsDigest");
      out.leaf("Posting", posting);
      out.leaf("Stories", stories);
      for (Kept story : kept) {
        out.open("Kept");
        out.leaf("StoryId", story.id());
        out.leaf("Headline", story.headline());
        if (story.priority() != null) {
          out.leaf("Priority", story.priority());
        }
        if (story.language() != null) {
          out.leaf("Language", story.language());
        }
        out.leaf("Characters", story.characters());
        out.close();
      }
      out.close();
    }
  }

  /** The Buffet: each violation of a rule. */
  record Validation(String orderNumber, String customer, int parts, List<Violation> violations)
      implements Answer {

    /** A text that breaks the rule of its element; part 0 is the header. */
    record Violation(int part, String element, String value) {}

    @Override
    public String namespace() {
      return Names.BUFFET;
    }

    @Override
    public void to(Output out) {
      out.open("Validation");
      out.leaf("OrderNumber", orderNumber);
      out.leaf("Customer", customer);
      out.leaf("Parts", parts);
      for (Violation violation : violations) {
        out.open("Violation");
        out.leaf("Part", violation.part());
        out.leaf("Element", violation.element());
        out.leaf("Value", violation.value());
        out.close();
      }
      out.close();
    }
  }
}

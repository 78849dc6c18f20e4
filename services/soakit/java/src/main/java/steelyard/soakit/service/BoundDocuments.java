package steelyard.soakit.service;

import jakarta.xml.bind.JAXBElement;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.w3c.dom.Node;
import steelyard.soakit.buffet.OrderDocument;
import steelyard.soakit.buffet.OrderHeader;
import steelyard.soakit.buffet.Part;
import steelyard.soakit.buffet.ValidationDocument;
import steelyard.soakit.buffet.Violation;
import steelyard.soakit.common.BuyerParty;
import steelyard.soakit.common.Identifier;
import steelyard.soakit.common.PartyBase;
import steelyard.soakit.common.Quantity;
import steelyard.soakit.common.ResponseCode;
import steelyard.soakit.common.TelephoneNumber;
import steelyard.soakit.common.UserArea;
import steelyard.soakit.news.Interests;
import steelyard.soakit.news.KeptStory;
import steelyard.soakit.news.NewsDigestDocument;
import steelyard.soakit.news.NewsPostingDocument;
import steelyard.soakit.news.Story;
import steelyard.soakit.news.Topic;
import steelyard.soakit.order.AcknowledgePurchaseOrderData;
import steelyard.soakit.order.AcknowledgePurchaseOrderDocument;
import steelyard.soakit.order.AcknowledgeVerb;
import steelyard.soakit.order.AcknowledgedLine;
import steelyard.soakit.order.AcknowledgedOrder;
import steelyard.soakit.order.ChargeBase;
import steelyard.soakit.order.DiscountCharge;
import steelyard.soakit.order.KitItem;
import steelyard.soakit.order.Line;
import steelyard.soakit.order.ProcessPurchaseOrderDocument;
import steelyard.soakit.order.Subline;

/** What documents hold, as objects of the classes that JAXB's compiler made from the schemas. */
final class BoundDocuments {

  private static final steelyard.soakit.order.ObjectFactory ORDER =
      new steelyard.soakit.order.ObjectFactory();
  private static final steelyard.soakit.news.ObjectFactory NEWS =
      new steelyard.soakit.news.ObjectFactory();
  private static final steelyard.soakit.buffet.ObjectFactory BUFFET =
      new steelyard.soakit.buffet.ObjectFactory();

  private BoundDocuments() {}

  /** What a use case answers to a document; throws where it is another than is due. */
  static Answer read(UseCase useCase, Object document) {
    if (useCase == UseCase.TV_DINNER && document instanceof ProcessPurchaseOrderDocument order) {
      return order(order);
    }
    if (useCase == UseCase.SUSHI_BOATS && document instanceof NewsPostingDocument posting) {
      return news(posting);
    }
    if (useCase == UseCase.BUFFET && document instanceof OrderDocument order) {
      return buffet(order);
    }
    throw new BadDocument("the message holds another document than is due");
  }

  private static Answer order(ProcessPurchaseOrderDocument document) {
    var area = Binding.required(document.getApplicationArea(), "ApplicationArea");
    var data = Binding.required(document.getDataArea(), "DataArea");
    var order = Binding.required(data.getPurchaseOrder(), "PurchaseOrder");
    var header = Binding.required(order.getHeader(), "Header");
    requireShallow(area.getUserArea());
    requireShallow(header.getUserArea());
    var book = new OrderBook();
    book.documentId(text(area.getDocumentId()));
    book.orderId(text(header.getOrderId()));
    book.priority(header.getPriority());
    for (PartyBase party : header.getParty()) {
      if (party instanceof BuyerParty) {
        book.buyer(party.getName(), telephones(party));
      }
    }
    order.getLine().forEach(line -> line(line, book));
    return book.acknowledged();
  }

  private static int telephones(PartyBase party) {
    if (party.getContact() == null) {
      return 0;
    }
    return (int)
        party.getContact().getCommunication().stream()
            .filter(one -> one.getValue() instanceof TelephoneNumber)
            .count();
  }

  private static void line(Line line, OrderBook book) {
    book.beginLine();
    book.lineNumber(line.getLineNumber());
    for (Subline subline : line.getSubline()) {
      book.beginSubline();
      requireShallow(subline.getUserArea());
      if (subline.getItem() instanceof KitItem) {
        book.kit();
      }
      Quantity quantity = Binding.required(subline.getQuantity(), "Quantity");
      book.quantity(quantity.getValue());
      book.price(
          Binding.required(Binding.required(subline.getPrice(), "Price").getAmount(), "Amount")
              .getValue());
      for (JAXBElement<? extends ChargeBase> charge : subline.getCharge()) {
        BigDecimal amount = Binding.required(charge.getValue().getAmount(), "Amount").getValue();
        if (charge.getValue() instanceof DiscountCharge) {
          book.discount(amount);
        } else {
          book.freight(amount);
        }
      }
      book.endSubline();
    }
    book.endLine();
  }

  private static String text(Identifier identifier) {
    return identifier == null ? null : identifier.getValue();
  }

  private static void requireShallow(UserArea area) {
    if (area != null) {
      for (Object any : area.getAny()) {
        if (any instanceof Node node) {
          Trees.requireShallow(node);
        }
      }
    }
  }

  private static Answer news(NewsPostingDocument posting) {
    Interests wanted = posting.getInterests();
    var interests = new HashSet<Topic>(wanted == null ? List.of() : wanted.getTopic());
    List<Answer.Digest.Kept> kept = new ArrayList<>();
    for (Story story : posting.getStory()) {
      if (interests.contains(story.getTopic())) {
        kept.add(kept(story));
      }
    }
    return new Answer.Digest(
        Binding.required(posting.getId(), "id"), posting.getStory().size(), kept);
  }

  private static Answer.Digest.Kept kept(Story story) {
    int characters =
        Binding.required(story.getBody(), "Body").getParagraph().stream()
            .mapToInt(paragraph -> paragraph.codePointCount(0, paragraph.length()))
            .sum();
    String priority = story.getPriority() == null ? null : story.getPriority().toString();
    return new Answer.Digest.Kept(
        story.getId(), story.getHeadline(), priority, story.getLanguage(), characters);
  }

  private static Answer buffet(OrderDocument order) {
    var rules = new OrderRules();
    OrderHeader header = Binding.required(order.getHeader(), "Header");
    rules.header(
        header.getOrderNumber(),
        header.getCustomer(),
        header.getMail(),
        header.getCountry(),
        header.getCurrency(),
        header.getOrderDate());
    for (Part part : Binding.required(order.getParts(), "Parts").getPart()) {
      rules.part(
          part.getNumber(),
          part.getSku(),
          part.getDescription(),
          part.getQuantity(),
          part.getUnit(),
          part.getUnitPrice(),
          part.getTotal(),
          part.getNeededBy(),
          part.getWarehouse());
    }
    return rules.validation();
  }

  /** An answer as the element of its document. */
  static JAXBElement<?> bound(Answer answer) {
    if (answer instanceof Answer.Acknowledgement acknowledgement) {
      return ORDER.createAcknowledgePurchaseOrder(bound(acknowledgement));
    }
    if (answer instanceof Answer.Digest digest) {
      return NEWS.createNewsDigest(bound(digest));
    }
    return BUFFET.createValidation(bound((Answer.Validation) answer));
  }

  private static AcknowledgePurchaseOrderDocument bound(Answer.Acknowledgement answer) {
    var verb = new AcknowledgeVerb();
    verb.setResponse(ResponseCode.fromValue(answer.response()));
    var order = new AcknowledgedOrder();
    order.setOrderId(identifier(answer.orderId()));
    order.setBuyer(answer.buyer());
    order.setPriority(answer.priority());
    order.setTelephones(BigInteger.valueOf(answer.telephones()));
    for (Answer.Acknowledgement.Line line : answer.lines()) {
      var acknowledged = new AcknowledgedLine();
      acknowledged.setLineNumber(line.number());
      acknowledged.setSublines(BigInteger.valueOf(line.sublines()));
      acknowledged.setKits(BigInteger.valueOf(line.kits()));
      acknowledged.setQuantity(line.quantity());
      acknowledged.setAmount(line.amount());
      order.getLine().add(acknowledged);
    }
    order.setAmount(answer.amount());
    var data = new AcknowledgePurchaseOrderData();
    data.setAcknowledge(verb);
    data.setPurchaseOrder(order);
    var document = new AcknowledgePurchaseOrderDocument();
    document.setOriginal(identifier(answer.original()));
    document.setDataArea(data);
    return document;
  }

  private static Identifier identifier(String value) {
    var identifier = new Identifier();
    identifier.setValue(value);
    return identifier;
  }

  private static NewsDigestDocument bound(Answer.Digest answer) {
    var digest = new NewsDigestDocument();
    digest.setPosting(answer.posting());
    digest.setStories(BigInteger.valueOf(answer.stories()));
    for (Answer.Digest.Kept story : answer.kept()) {
      var kept = new KeptStory();
      kept.setStoryId(story.id());
      kept.setHeadline(story.headline());
      kept.setPriority(story.priority());
      kept.setLanguage(story.language());
      kept.setCharacters(BigInteger.valueOf(story.characters()));
      digest.getKept().add(kept);
    }
    return digest;
  }

  private static ValidationDocument bound(Answer.Validation answer) {
    var validation = new ValidationDocument();
    validation.setOrderNumber(answer.orderNumber());
    validation.setCustomer(answer.customer());
    validation.setParts(BigInteger.valueOf(answer.parts()));
    for (Answer.Validation.Violation one : answer.violations()) {
      var violation = new Violation();
      violation.setPart(BigInteger.valueOf(one.part()));
      violation.setElement(one.element());
      violation.setValue(one.value());
      validation.getViolation().add(violation);
    }
    return validation;
  }
}

package steelyard.soakit.service;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.apache.xmlbeans.XmlObject;
import steelyard.soakit.beans.buffet.OrderHeader;
import steelyard.soakit.beans.buffet.OrderType;
import steelyard.soakit.beans.buffet.Part;
import steelyard.soakit.beans.buffet.ValidationType;
import steelyard.soakit.beans.common.BuyerParty;
import steelyard.soakit.beans.common.CommunicationBase;
import steelyard.soakit.beans.common.PartyBase;
import steelyard.soakit.beans.common.ResponseCode;
import steelyard.soakit.beans.common.TelephoneNumber;
import steelyard.soakit.beans.news.NewsDigestType;
import steelyard.soakit.beans.news.NewsPostingType;
import steelyard.soakit.beans.news.Story;
import steelyard.soakit.beans.order.AcknowledgePurchaseOrderType;
import steelyard.soakit.beans.order.AcknowledgedLine;
import steelyard.soakit.beans.order.ChargeBase;
import steelyard.soakit.beans.order.DiscountCharge;
import steelyard.soakit.beans.order.KitItem;
import steelyard.soakit.beans.order.Line;
import steelyard.soakit.beans.order.ProcessPurchaseOrderType;
import steelyard.soakit.beans.order.Subline;

/** What documents hold, as XMLBeans' objects; a number that is none is found when it is read. */
final class BeansDocuments {

  private BeansDocuments() {}

  /** What a use case answers to a document; throws where it is another than is due. */
  static Answer read(UseCase useCase, XmlObject document) {
    if (useCase == UseCase.TV_DINNER && document instanceof ProcessPurchaseOrderType order) {
      return order(order);
    }
    if (useCase == UseCase.SUSHI_BOATS && document instanceof NewsPostingType posting) {
      return news(posting);
    }
    if (useCase == UseCase.BUFFET && document instanceof OrderType order) {
      return buffet(order);
    }
    throw new BadDocument("the message holds another document than is due");
  }

  private static Answer order(ProcessPurchaseOrderType document) {
    var area = Binding.required(document.getApplicationArea(), "ApplicationArea");
    var data = Binding.required(document.getDataArea(), "DataArea");
    var order = Binding.required(data.getPurchaseOrder(), "PurchaseOrder");
    var header = Binding.required(order.getHeader(), "Header");
    var book = new OrderBook();
    book.documentId(Binding.required(area.getDocumentId(), "DocumentId").getStringValue());
    book.orderId(Binding.required(header.getOrderId(), "OrderId").getStringValue());
    book.priority(Binding.required(header.xgetPriority(), "Priority").getStringValue());
    for (PartyBase party : header.getPartyArray()) {
      if (party instanceof BuyerParty) {
        book.buyer(party.getName(), telephones(party));
      }
    }
    for (Line line : order.getLineArray()) {
      line(line, book);
    }
    return book.acknowledged();
  }

  private static int telephones(PartyBase party) {
    int telephones = 0;
    if (party.getContact() != null) {
      for (CommunicationBase one : party.getContact().getCommunicationArray()) {
        telephones += one instanceof TelephoneNumber ? 1 : 0;
      }
    }
    return telephones;
  }

  private static void line(Line line, OrderBook book) {
    book.beginLine();
    book.lineNumber(line.getLineNumber());
    for (Subline subline : line.getSublineArray()) {
      book.beginSubline();
      if (subline.getItem() instanceof KitItem) {
        book.kit();
      }
      book.quantity(Binding.required(subline.getQuantity(), "Quantity").getBigDecimalValue());
      var price = Binding.required(subline.getPrice(), "Price");
      book.price(Binding.required(price.getAmount(), "Amount").getBigDecimalValue());
      for (ChargeBase charge : subline.getChargeArray()) {
        BigDecimal amount = Binding.required(charge.getAmount(), "Amount").getBigDecimalValue();
        if (charge instanceof DiscountCharge) {
          book.discount(amount);
        } else {
          book.freight(amount);
        }
      }
      book.endSubline();
    }
    book.endLine();
  }

  private static Answer news(NewsPostingType posting) {
    var interests = new HashSet<String>();
    if (posting.getInterests() != null) {
      posting
          .getInterests()
          .xgetTopicList()
          .forEach(topic -> interests.add(topic.getStringValue()));
    }
    List<Answer.Digest.Kept> kept = new ArrayList<>();
    Story[] stories = posting.getStoryArray();
    for (Story story : stories) {
      if (story.xgetTopic() != null && interests.contains(story.xgetTopic().getStringValue())) {
        kept.add(kept(story));
      }
    }
    return new Answer.Digest(Binding.required(posting.getId(), "id"), stories.length, kept);
  }

  private static Answer.Digest.Kept kept(Story story) {
    int characters = 0;
    for (String paragraph : Binding.required(story.getBody(), "Body").getParagraphArray()) {
      characters += paragraph.codePointCount(0, paragraph.length());
    }
    String priority = story.isSetPriority() ? story.xgetPriority().getStringValue() : null;
    return new Answer.Digest.Kept(
        story.getId(), story.getHeadline(), priority, story.getLanguage(), characters);
  }

  private static Answer buffet(OrderType order) {
    var rules = new OrderRules();
    OrderHeader header = Binding.required(order.getHeader(), "Header");
    rules.header(
        header.getOrderNumber(),
        header.getCustomer(),
        header.getMail(),
        header.getCountry(),
        header.getCurrency(),
        header.getOrderDate());
    for (Part part : Binding.required(order.getParts(), "Parts").getPartArray()) {
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

  static void write(Answer.Acknowledgement answer, AcknowledgePurchaseOrderType document) {
    document.addNewOriginal().setStringValue(answer.original());
    var data = document.addNewDataArea();
    data.addNewAcknowledge().setResponse(ResponseCode.Enum.forString(answer.response()));
    var order = data.addNewPurchaseOrder();
    order.addNewOrderId().setStringValue(answer.orderId());
    order.setBuyer(answer.buyer());
    order.setPriority(answer.priority());
    order.setTelephones(BigInteger.valueOf(answer.telephones()));
    for (Answer.Acknowledgement.Line line : answer.lines()) {
      AcknowledgedLine acknowledged = order.addNewLine();
      acknowledged.setLineNumber(line.number());
      acknowledged.setSublines(BigInteger.valueOf(line.sublines()));
      acknowledged.setKits(BigInteger.valueOf(line.kits()));
      acknowledged.setQuantity(line.quantity());
      acknowledged.setAmount(line.amount());
    }
    order.setAmount(answer.amount());
  }

  static void write(Answer.Digest answer, NewsDigestType digest) {
    digest.setPosting(answer.posting());
    digest.setStories(BigInteger.valueOf(answer.stories()));
    for (Answer.Digest.Kept story : answer.kept()) {
      var kept = digest.addNewKept();
      kept.setStoryId(story.id());
      kept.setHeadline(story.headline());
      if (story.priority() != null) {
        kept.setPriority(story.priority());
      }
      if (story.language() != null) {
        kept.setLanguage(story.language());
      }
      kept.setCharacters(BigInteger.valueOf(story.characters()));
    }
  }

  static void write(Answer.Validation answer, ValidationType validation) {
    validation.setOrderNumber(answer.orderNumber());
    validation.setCustomer(answer.customer());
    validation.setParts(BigInteger.valueOf(answer.parts()));
    for (Answer.Validation.Violation one : answer.violations()) {
      var violation = validation.addNewViolation();
      violation.setPart(BigInteger.valueOf(one.part()));
      violation.setElement(one.element());
      violation.setValue(one.value());
    }
  }
}

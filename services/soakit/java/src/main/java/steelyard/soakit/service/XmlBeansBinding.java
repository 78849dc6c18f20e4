package steelyard.soakit.service;

import java.io.StringReader;
import java.util.function.BiFunction;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import org.apache.xmlbeans.SchemaTypeLoader;
import org.apache.xmlbeans.XmlBeans;
import org.apache.xmlbeans.XmlException;
import org.apache.xmlbeans.XmlObject;
import steelyard.soakit.beans.BuffetDocument;
import steelyard.soakit.beans.BuffetResponseDocument;
import steelyard.soakit.beans.SushiBoatsDocument;
import steelyard.soakit.beans.SushiBoatsResponseDocument;
import steelyard.soakit.beans.TvDinnerDocument;
import steelyard.soakit.beans.TvDinnerResponseDocument;
import steelyard.soakit.beans.buffet.OrderDocument;
import steelyard.soakit.beans.buffet.ValidationDocument;
import steelyard.soakit.beans.news.NewsDigestDocument;
import steelyard.soakit.beans.news.NewsPostingDocument;
import steelyard.soakit.beans.order.AcknowledgePurchaseOrderDocument;
import steelyard.soakit.beans.order.ProcessPurchaseOrderDocument;
import steelyard.soakit.metadata.system.soakit.TypeSystemHolder;

/**
 * Binding by Apache XMLBeans: its objects look into a store of the document, and a value is read
 * when it is asked for. A class loader that knows the library makes it (ApartBinding).
 */
public final class XmlBeansBinding implements BiFunction<String, Object, Object> {

  private static final SchemaTypeLoader TYPES =
      XmlBeans.typeLoaderUnion(XmlBeans.getBuiltinTypeSystem(), TypeSystemHolder.typeSystem);

  private final Parsers parsers;

  /** Documents are read by this StAX library. */
  public XmlBeansBinding(XMLInputFactory input) {
    parsers = new Parsers(input, null);
  }

  /**
   * The answer to a document by the use case's name: of a string a string, of a source a source.
   */
  @Override
  public Object apply(String useCase, Object document) {
    try {
      UseCase asked = UseCase.valueOf(useCase);
      return document instanceof Source source
          ? answer(asked, source)
          : answer(asked, (String) document);
    } catch (XmlException | IllegalArgumentException e) {
      throw new BadDocument("the document cannot be read: " + e.getMessage(), e);
    }
  }

  private String answer(UseCase useCase, String document) throws XmlException {
    XmlObject read = parsed(parsers.reader(document));
    return bare(BeansDocuments.read(useCase, content(read))).xmlText();
  }

  /** As {@link Streaming}: what the stack gives is written out and read again. */
  private Source answer(UseCase useCase, Source document) throws XmlException {
    XmlObject read = parsed(parsers.reader(document));
    XmlObject within = unwrapped(read);
    Answer answer = BeansDocuments.read(useCase, within == null ? content(read) : within);
    XmlObject root = within == null ? bare(answer) : wrapped(answer);
    return new StreamSource(new StringReader(root.xmlText()));
  }

  private static XmlObject parsed(XMLStreamReader reader) throws XmlException {
    var cursor = new Cursor(reader);
    cursor.root();
    XmlObject read = TYPES.parse(cursor.shallow(), null, null);
    cursor.end();
    return read;
  }

  /** The document of a message that has an element around it; null where it has none. */
  private static XmlObject unwrapped(XmlObject read) {
    if (read instanceof TvDinnerDocument wrapper) {
      return wrapper.getTvDinner().getProcessPurchaseOrder();
    }
    if (read instanceof SushiBoatsDocument wrapper) {
      return wrapper.getSushiBoats().getNewsPosting();
    }
    return read instanceof BuffetDocument wrapper ? wrapper.getBuffet().getOrder() : null;
  }

  private static XmlObject content(XmlObject read) {
    if (read instanceof ProcessPurchaseOrderDocument root) {
      return root.getProcessPurchaseOrder();
    }
    if (read instanceof NewsPostingDocument root) {
      return root.getNewsPosting();
    }
    return read instanceof OrderDocument root ? root.getOrder() : read;
  }

  private static XmlObject bare(Answer answer) {
    if (answer instanceof Answer.Acknowledgement acknowledgement) {
      var root = AcknowledgePurchaseOrderDocument.Factory.newInstance();
      BeansDocuments.write(acknowledgement, root.addNewAcknowledgePurchaseOrder());
      return root;
    }
    if (answer instanceof Answer.Digest digest) {
      var root = NewsDigestDocument.Factory.newInstance();
      BeansDocuments.write(digest, root.addNewNewsDigest());
      return root;
    }
    var root = ValidationDocument.Factory.newInstance();
    BeansDocuments.write((Answer.Validation) answer, root.addNewValidation());
    return root;
  }

  private static XmlObject wrapped(Answer answer) {
    if (answer instanceof Answer.Acknowledgement acknowledgement) {
      var root = TvDinnerResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          acknowledgement, root.addNewTvDinnerResponse().addNewAcknowledgePurchaseOrder());
      return root;
    }
    if (answer instanceof Answer.Digest digest) {
      var root = SushiBoatsResponseDocument.Factory.newInstance();
      BeansDocuments.write(digest, root.addNewSushiBoatsResponse().addNewNewsDigest());
      return root;
    }
    var root = BuffetResponseDocument.Factory.newInstance();
    BeansDocuments.write(
        (Answer.Validation) answer, root.addNewBuffetResponse().addNewValidation());
    return root;
  }
}

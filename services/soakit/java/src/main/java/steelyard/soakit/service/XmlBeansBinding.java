package steelyard.soakit.service;

import java.io.StringReader;
import java.util.function.BiFunction;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;
import org.apache.xmlbeans.SchemaTypeLoader;
import org.apache.xmlbeans.XmlBeans;
import org.apache.xmlbeans.XmlException;
import org.apache.xmlbeans.XmlObject;
import steelyard.soakit.beans.BuffetDocument;
import steelyard.soakit.beans.BuffetResponseDocument;
import steelyard.soakit.beans.BuffetRpcDocument;
import steelyard.soakit.beans.BuffetRpcResponseDocument;
import steelyard.soakit.beans.SushiBoatsDocument;
import steelyard.soakit.beans.SushiBoatsResponseDocument;
import steelyard.soakit.beans.SushiBoatsRpcDocument;
import steelyard.soakit.beans.SushiBoatsRpcResponseDocument;
import steelyard.soakit.beans.TvDinnerDocument;
import steelyard.soakit.beans.TvDinnerResponseDocument;
import steelyard.soakit.beans.TvDinnerRpcDocument;
import steelyard.soakit.beans.TvDinnerRpcResponseDocument;
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
    Answer answer = BeansDocuments.read(useCase, content(read));
    return new StreamSource(new StringReader(like(read, answer).xmlText()));
  }

  private static XmlObject parsed(XMLStreamReader reader) throws XmlException {
    var cursor = new Cursor(reader);
    cursor.root();
    XmlObject read = TYPES.parse(named(cursor.shallow()), null, null);
    cursor.end();
    return read;
  }

  /**
   * The JDK's parser tells null where the default namespace is taken back; XMLBeans breaks on it.
   */
  private static XMLStreamReader named(XMLStreamReader reader) {
    return new StreamReaderDelegate(reader) {
      @Override
      public String getNamespaceURI(int index) {
        String namespace = super.getNamespaceURI(index);
        return namespace == null ? "" : namespace;
      }
    };
  }

  /** The document of a message, however it stands in it. */
  private static XmlObject content(XmlObject read) {
    if (read instanceof TvDinnerDocument message) {
      return message.getTvDinner().getProcessPurchaseOrder();
    }
    if (read instanceof TvDinnerRpcDocument message) {
      return message.getTvDinnerRpc().getDocument();
    }
    if (read instanceof ProcessPurchaseOrderDocument root) {
      return root.getProcessPurchaseOrder();
    }
    if (read instanceof SushiBoatsDocument message) {
      return message.getSushiBoats().getNewsPosting();
    }
    if (read instanceof SushiBoatsRpcDocument message) {
      return message.getSushiBoatsRpc().getDocument();
    }
    if (read instanceof NewsPostingDocument root) {
      return root.getNewsPosting();
    }
    if (read instanceof BuffetDocument message) {
      return message.getBuffet().getOrder();
    }
    if (read instanceof BuffetRpcDocument message) {
      return message.getBuffetRpc().getDocument();
    }
    if (read instanceof OrderDocument root) {
      return root.getOrder();
    }
    return read;
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

  /** An answer as the request was asked. */
  private static XmlObject like(XmlObject read, Answer answer) {
    if (read instanceof TvDinnerDocument) {
      var root = TvDinnerResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          (Answer.Acknowledgement) answer,
          root.addNewTvDinnerResponse().addNewAcknowledgePurchaseOrder());
      return root;
    }
    if (read instanceof TvDinnerRpcDocument) {
      var root = TvDinnerRpcResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          (Answer.Acknowledgement) answer, root.addNewTvDinnerRpcResponse().addNewDocument());
      return root;
    }
    if (read instanceof SushiBoatsDocument) {
      var root = SushiBoatsResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          (Answer.Digest) answer, root.addNewSushiBoatsResponse().addNewNewsDigest());
      return root;
    }
    if (read instanceof SushiBoatsRpcDocument) {
      var root = SushiBoatsRpcResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          (Answer.Digest) answer, root.addNewSushiBoatsRpcResponse().addNewDocument());
      return root;
    }
    if (read instanceof BuffetDocument) {
      var root = BuffetResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          (Answer.Validation) answer, root.addNewBuffetResponse().addNewValidation());
      return root;
    }
    if (read instanceof BuffetRpcDocument) {
      var root = BuffetRpcResponseDocument.Factory.newInstance();
      BeansDocuments.write(
          (Answer.Validation) answer, root.addNewBuffetRpcResponse().addNewDocument());
      return root;
    }
    return bare(answer);
  }
}

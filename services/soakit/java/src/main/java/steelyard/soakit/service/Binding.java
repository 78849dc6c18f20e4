package steelyard.soakit.service;

import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBElement;
import jakarta.xml.bind.JAXBException;
import jakarta.xml.bind.Marshaller;
import jakarta.xml.bind.Unmarshaller;
import jakarta.xml.bind.UnmarshallerHandler;
import jakarta.xml.bind.util.JAXBSource;
import java.io.StringWriter;
import java.util.Map;
import javax.xml.transform.Source;

/**
 * Binding by a library of JAXB's interface: documents as objects of classes that JAXB's compiler
 * made from the schemas.
 */
final class Binding implements Technique {

  private static final Class<?>[] CLASSES = {
    steelyard.soakit.ObjectFactory.class,
    steelyard.soakit.order.ObjectFactory.class,
    steelyard.soakit.news.ObjectFactory.class,
    steelyard.soakit.buffet.ObjectFactory.class,
    steelyard.soakit.common.ObjectFactory.class
  };

  private final Parsers parsers;
  private final JAXBContext context;
  private final boolean lenient;

  /** A lenient library passes over elements that it does not know, however deep they nest. */
  private Binding(Parsers parsers, JAXBContext context, boolean lenient) {
    this.parsers = parsers;
    this.context = context;
    this.lenient = lenient;
  }

  /** The server's own JAXB. */
  static Binding jaxb(Parsers parsers) {
    try {
      return new Binding(parsers, JAXBContext.newInstance(CLASSES), false);
    } catch (JAXBException e) {
      throw new IllegalStateException("the classes of the contract cannot be bound", e);
    }
  }

  /** EclipseLink MOXy, whatever the server binds by. */
  static Binding moxy(Parsers parsers) {
    ClassLoader loader = Brought.moxy();
    try {
      Object context =
          loader
              .loadClass("org.eclipse.persistence.jaxb.JAXBContextFactory")
              .getMethod("createContext", Class[].class, Map.class, ClassLoader.class)
              .invoke(null, CLASSES, Map.of(), loader);
      return new Binding(parsers, (JAXBContext) context, true);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the classes of the contract cannot be bound by MOXy", e);
    }
  }

  @Override
  public String answer(UseCase useCase, String document) {
    try {
      Cursor cursor = new Cursor(parsers.reader(document));
      cursor.root();
      Object read = read(cursor);
      cursor.end();
      var text = new StringWriter();
      Marshaller marshaller = context.createMarshaller();
      marshaller.setProperty(Marshaller.JAXB_FRAGMENT, true);
      marshaller.marshal(BoundDocuments.bound(BoundDocuments.read(useCase, content(read))), text);
      return text.toString();
    } catch (JAXBException e) {
      throw broken(e);
    }
  }

  @Override
  public Source answer(UseCase useCase, Source document) {
    try {
      Object read = read(document);
      Object content = content(Wrappers.within(read));
      JAXBElement<?> answer = BoundDocuments.bound(BoundDocuments.read(useCase, content));
      return new JAXBSource(context, Wrappers.around(answer, read));
    } catch (JAXBException e) {
      throw broken(e);
    }
  }

  private Object read(Cursor cursor) throws JAXBException {
    if (!lenient) {
      return unmarshaller().unmarshal(cursor.reader());
    }
    try {
      return unmarshaller().unmarshal(cursor.shallow());
    } catch (RuntimeException e) {
      throw wrongText(e);
    }
  }

  private Object read(Source document) throws JAXBException {
    if (!lenient) {
      return unmarshaller().unmarshal(Trees.shallow(document));
    }
    UnmarshallerHandler handler = unmarshaller().getUnmarshallerHandler();
    Trees.tell(document, handler);
    try {
      return handler.getResult();
    } catch (RuntimeException e) {
      throw wrongText(e);
    }
  }

  /** MOXy tells its event handler nothing of a text that is no value of its type. */
  private static BadDocument wrongText(RuntimeException e) {
    return new BadDocument("the document cannot be read: " + e.getMessage(), e);
  }

  /** A value of a wrong type ends the reading: JAXB would pass over it unless told otherwise. */
  private Unmarshaller unmarshaller() throws JAXBException {
    Unmarshaller unmarshaller = context.createUnmarshaller();
    unmarshaller.setEventHandler(event -> false);
    return unmarshaller;
  }

  private static BadDocument broken(JAXBException e) {
    Throwable cause = e.getLinkedException() == null ? e : e.getLinkedException();
    return new BadDocument("the document cannot be read: " + cause.getMessage(), e);
  }

  private static Object content(Object read) {
    return read instanceof JAXBElement<?> element ? element.getValue() : read;
  }

  static <T> T required(T value, String element) {
    if (value == null) {
      throw new BadDocument("the document lacks " + element);
    }
    return value;
  }
}

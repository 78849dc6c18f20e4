package steelyard.soakit.service;

import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyName;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.dataformat.xml.JacksonXmlAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.xml.XmlFactory;
import com.fasterxml.jackson.dataformat.xml.XmlMapper;
import java.io.IOException;
import java.io.StringReader;
import java.util.EnumMap;
import java.util.Map;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import javax.xml.transform.Source;
import javax.xml.transform.stream.StreamSource;

/**
 * Binding by Jackson XML: documents as objects of classes of our own. It knows elements by their
 * local names. It reads by the technique stax's library and writes by Woodstox, since it has
 * writers repair namespaces, and the JDK's then binds one twice.
 */
final class JacksonBinding implements Technique {

  /**
   * What stands before the name of an attribute in the namespace that all documents share: Jackson
   * knows attributes by their local names, and one without a namespace is another.
   */
  static final String OF_COMMON = "common.";

  private static final PropertyName PART = PropertyName.construct(Style.PART, "");

  private final Parsers parsers;
  private final Map<UseCase, XmlMapper> mappers = new EnumMap<>(UseCase.class);

  JacksonBinding(Parsers parsers) {
    this.parsers = parsers;
    mappers.put(UseCase.TV_DINNER, mapper(parsers, Names.ORDER));
    mappers.put(UseCase.SUSHI_BOATS, mapper(parsers, Names.NEWS));
    mappers.put(UseCase.BUFFET, mapper(parsers, Names.BUFFET));
  }

  @Override
  public String answer(UseCase useCase, String document) {
    var cursor = new Cursor(parsers.reader(document));
    cursor.root();
    useCase.require(Style.BARE, cursor.namespace(), cursor.name());
    String answer = answered(useCase, Style.BARE, cursor);
    cursor.end();
    return answer;
  }

  /** As {@link Streaming}: the standard gives a provider no stream of events. */
  @Override
  public Source answer(UseCase useCase, Source document) {
    var cursor = new Cursor(parsers.reader(document));
    cursor.root();
    Style style = cursor.enter(useCase);
    String answer = answered(useCase, style, cursor);
    cursor.leave(style);
    return new StreamSource(new StringReader(useCase.within(style, answer)));
  }

  private static XmlMapper mapper(Parsers parsers, String namespace) {
    return XmlMapper.builder(new XmlFactory(parsers.input(), Parsers.named("woodstox").output()))
        .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
        .annotationIntrospector(new InOneNamespace(namespace))
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
        .build();
  }

  private String answered(UseCase useCase, Style style, Cursor cursor) {
    XmlMapper mapper = mappers.get(useCase);
    XMLStreamReader document = apart(cursor.shallow());
    try {
      Object answer =
          switch (useCase) {
            case TV_DINNER ->
                JacksonOrder.answer(mapper.readValue(document, JacksonOrder.Document.class));
            case SUSHI_BOATS ->
                JacksonNews.answer(mapper.readValue(document, JacksonNews.Document.class));
            case BUFFET ->
                JacksonBuffet.answer(mapper.readValue(document, JacksonBuffet.Document.class));
          };
      ObjectWriter writer = mapper.writer();
      return (style == Style.RPC ? writer.withRootName(PART) : writer).writeValueAsString(answer);
    } catch (IOException e) {
      throw new BadDocument("the document cannot be read: " + e.getMessage(), e);
    }
  }

  private static XMLStreamReader apart(XMLStreamReader reader) {
    return new StreamReaderDelegate(reader) {
      @Override
      public String getAttributeLocalName(int index) {
        String name = super.getAttributeLocalName(index);
        return Names.COMMON.equals(super.getAttributeNamespace(index)) ? OF_COMMON + name : name;
      }
    };
  }

  /** What is written of an answer is all in one namespace. */
  private static final class InOneNamespace extends JacksonXmlAnnotationIntrospector {

    private static final long serialVersionUID = 1;

    private final String namespace;

    InOneNamespace(String namespace) {
      super(false); // lists without an element around them
      this.namespace = namespace;
    }

    @Override
    public String findNamespace(MapperConfig<?> config, Annotated annotated) {
      return namespace;
    }
  }
}

package steelyard.soakit.service;

import java.util.function.BiFunction;
import javax.xml.stream.XMLInputFactory;
import javax.xml.transform.Source;

/**
 * Binding by classes that a class loader of our own made: it hands them the JDK's objects alone,
 * since all others are different classes there.
 */
final class ApartBinding implements Technique {

  private final BiFunction<String, Object, Object> within;

  private ApartBinding(BiFunction<String, Object, Object> within) {
    this.within = within;
  }

  /** Apache XMLBeans. */
  @SuppressWarnings("unchecked")
  static ApartBinding xmlBeans(Parsers parsers) {
    try {
      return new ApartBinding(
          (BiFunction<String, Object, Object>)
              Brought.xmlBeans()
                  .loadClass(ApartBinding.class.getPackageName() + ".XmlBeansBinding")
                  .getConstructor(XMLInputFactory.class)
                  .newInstance(parsers.input()));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the library brought along cannot be used", e);
    }
  }

  @Override
  public String answer(UseCase useCase, String document) {
    return (String) within.apply(useCase.name(), document);
  }

  @Override
  public Source answer(UseCase useCase, Source document) {
    return (Source) within.apply(useCase.name(), document);
  }
}

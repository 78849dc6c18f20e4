package steelyard.soakit.service;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/** The service's factors, from the environment: which technique, by which library. */
final class Settings {

  private static final Set<String> TECHNIQUES =
      Set.of("kit", "binding", "stax", "dom", "soapelement");
  private static final Map<UseCase, Technique> CHOSEN = chosen(System.getenv());
  private static final boolean SOAP_ELEMENT = technique(System.getenv()).equals("soapelement");

  private Settings() {}

  /** The technique that a use case is answered by. */
  static Technique of(UseCase useCase) {
    return CHOSEN.get(useCase);
  }

  /** Whether documents that come as XML are taken as the stack's own tree. */
  static boolean soapElement() {
    return SOAP_ELEMENT;
  }

  private static Map<UseCase, Technique> chosen(Map<String, String> environment) {
    String technique = technique(environment);
    var parsers = Parsers.named(environment.getOrDefault("STEELYARD_STAX", "server"));
    Technique binding = binding(environment, parsers);
    var streaming = new Streaming(parsers);
    var tree = new Tree();
    var found = new EnumMap<UseCase, Technique>(UseCase.class);
    for (UseCase useCase : UseCase.values()) {
      found.put(
          useCase,
          switch (technique) {
            case "binding" -> binding;
            case "stax" -> streaming;
            case "dom", "soapelement" -> tree;
            default -> ofKit(useCase, binding, streaming, tree);
          });
    }
    return found;
  }

  private static Technique binding(Map<String, String> environment, Parsers parsers) {
    String library = environment.getOrDefault("STEELYARD_BINDING", "jaxb");
    return switch (library) {
      case "jaxb" -> Binding.jaxb(parsers);
      case "moxy" -> Binding.moxy(parsers);
      case "xmlbeans" -> ApartBinding.xmlBeans(parsers);
      case "jackson" -> new JacksonBinding(parsers);
      default -> throw new IllegalStateException("there is no binding library " + library);
    };
  }

  private static Technique ofKit(
      UseCase useCase, Technique binding, Technique streaming, Technique tree) {
    return switch (useCase) {
      case TV_DINNER -> binding;
      case SUSHI_BOATS -> streaming;
      case BUFFET -> tree;
    };
  }

  private static String technique(Map<String, String> environment) {
    String name = environment.getOrDefault("STEELYARD_TECHNIQUE", "kit");
    if (!TECHNIQUES.contains(name)) {
      throw new IllegalStateException("there is no technique " + name);
    }
    return name;
  }
}

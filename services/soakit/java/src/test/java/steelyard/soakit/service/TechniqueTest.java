package steelyard.soakit.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.Source;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.w3c.dom.Element;

/** Every technique gives the contract's answer to every document, whatever carries it. */
class TechniqueTest {

  private static final Path CONTRACT = Path.of("../contract");
  private static final Map<String, UseCase> FOLDERS =
      Map.of(
          "tv-dinner", UseCase.TV_DINNER,
          "sushi-boats", UseCase.SUSHI_BOATS,
          "buffet", UseCase.BUFFET);
  private static final Map<String, Technique> TECHNIQUES =
      Map.ofEntries(
          Map.entry("binding", Binding.jaxb(Parsers.named("server"))),
          Map.entry("binding, read by aalto", Binding.jaxb(Parsers.named("aalto"))),
          Map.entry("binding by MOXy", Binding.moxy(Parsers.named("server"))),
          Map.entry("binding by MOXy, read by the JDK", Binding.moxy(Parsers.named("jdk"))),
          Map.entry("binding by XMLBeans", ApartBinding.xmlBeans(Parsers.named("server"))),
          Map.entry(
              "binding by XMLBeans, read by aalto", ApartBinding.xmlBeans(Parsers.named("aalto"))),
          Map.entry(
              "binding by XMLBeans, read by JDK", ApartBinding.xmlBeans(Parsers.named("jdk"))),
          Map.entry("binding by jackson", jackson("server")),
          Map.entry("binding by jackson, read by the JDK", jackson("jdk")),
          Map.entry("binding by jackson, read by aalto", jackson("aalto")),
          Map.entry("stax by the server", new Streaming(Parsers.named("server"))),
          Map.entry("stax by the JDK", new Streaming(Parsers.named("jdk"))),
          Map.entry("stax by woodstox", new Streaming(Parsers.named("woodstox"))),
          Map.entry("stax by aalto", new Streaming(Parsers.named("aalto"))),
          Map.entry("dom", new Tree()));

  @TestFactory
  Stream<DynamicTest> everyDocumentIsAnsweredAsTheContractSays() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (var folder : FOLDERS.entrySet()) {
      for (Path request : requests(CONTRACT.resolve("exchanges").resolve(folder.getKey()))) {
        for (var technique : TECHNIQUES.entrySet()) {
          tests.add(
              DynamicTest.dynamicTest(
                  request.getFileName() + " of " + folder.getKey() + " by " + technique.getKey(),
                  () -> answered(folder.getValue(), request, technique.getValue())));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(80);
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> aDocumentThatIsAnRpcsPartIsAnsweredByOne() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (var folder : FOLDERS.entrySet()) {
      Path file =
          CONTRACT.resolve("exchanges").resolve(folder.getKey()).resolve("rpc.exchange.json");
      JsonNode exchange = new ObjectMapper().readTree(file.toFile());
      Element content = content(exchange, "request");
      List<String> due = values(content(exchange, "answer"));
      String xml = text(new DOMSource(content));
      String defaulted =
          xml.replaceAll("<(/?)k:", "<$1")
              .replace("xmlns:k=", "xmlns=")
              .replace("<document", "<document xmlns=\"\"");
      for (var technique : TECHNIQUES.entrySet()) {
        tests.add(
            DynamicTest.dynamicTest(
                folder.getKey() + " by " + technique.getKey(),
                () -> {
                  for (Source source :
                      List.of(
                          new DOMSource(content),
                          new StreamSource(new StringReader(xml)),
                          new StreamSource(new StringReader(defaulted)))) {
                    Source answer = technique.getValue().answer(folder.getValue(), source);
                    assertThat(values(Trees.of(answer))).isEqualTo(due);
                  }
                }));
      }
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> badDocumentsAreRefused() throws Exception {
    var tests = new ArrayList<DynamicTest>();
    for (Path request : requests(CONTRACT.resolve("bad"))) {
      for (var technique : TECHNIQUES.entrySet()) {
        tests.add(
            DynamicTest.dynamicTest(
                request.getFileName() + " by " + technique.getKey(),
                () -> {
                  Element content = content(request);
                  String text = carriedText(request);
                  assertThatThrownBy(
                          () ->
                              technique
                                  .getValue()
                                  .answer(UseCase.TV_DINNER, new DOMSource(content)))
                      .isInstanceOf(BadDocument.class);
                  assertThatThrownBy(() -> technique.getValue().answer(UseCase.TV_DINNER, text))
                      .isInstanceOf(BadDocument.class);
                }));
      }
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> textsThatAreNoDocumentAreRefused() throws Exception {
    String good =
        text(
            new DOMSource(
                document(
                    UseCase.TV_DINNER,
                    content(CONTRACT.resolve("exchanges/tv-dinner/wrapped.request.xml")))));
    var bad =
        Map.of(
            "cut off",
            good.substring(0, good.length() / 2),
            "no XML",
            "hello",
            "nothing",
            "",
            "two documents",
            good + good,
            "document type",
            "<!DOCTYPE x>" + good,
            "entity",
            "<!DOCTYPE x [<!ENTITY e 'x'>]>" + good.replace("Harbour", "&e;"),
            "external entity",
            "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>"
                + good.replace("Harbour", "&e;"),
            "undeclared entity",
            good.replace("Harbour", "&e;"));
    return bad.entrySet().stream()
        .flatMap(
            one ->
                TECHNIQUES.entrySet().stream()
                    .map(
                        technique ->
                            DynamicTest.dynamicTest(
                                one.getKey() + " by " + technique.getKey(),
                                () ->
                                    assertThatThrownBy(
                                            () ->
                                                technique
                                                    .getValue()
                                                    .answer(UseCase.TV_DINNER, one.getValue()))
                                        .isInstanceOf(BadDocument.class))));
  }

  @TestFactory
  Stream<DynamicTest> documentsThatNestTooDeepAreRefusedWhereverTheyDo() throws Exception {
    String deep = "<x:a xmlns:x='urn:example:any'>" + "<x:a>".repeat(99) + "</x:a>".repeat(100);
    var ends =
        Map.of(
            UseCase.TV_DINNER, "</o:UserArea>",
            UseCase.SUSHI_BOATS, "</n:Body>",
            UseCase.BUFFET, "</b:Part>");
    var tests = new ArrayList<DynamicTest>();
    for (var folder : FOLDERS.entrySet()) {
      Path request =
          CONTRACT.resolve("exchanges").resolve(folder.getKey()).resolve("bare.request.xml");
      String end = ends.get(folder.getValue());
      String document = text(new DOMSource(content(request))).replaceFirst(end, deep + end);
      assertThat(document).contains(deep);
      for (var technique : TECHNIQUES.entrySet()) {
        tests.add(
            DynamicTest.dynamicTest(
                folder.getKey() + " by " + technique.getKey(),
                () -> {
                  assertThatThrownBy(() -> technique.getValue().answer(folder.getValue(), document))
                      .isInstanceOf(BadDocument.class);
                  var xml = new StreamSource(new StringReader(document));
                  assertThatThrownBy(() -> technique.getValue().answer(folder.getValue(), xml))
                      .isInstanceOf(BadDocument.class);
                }));
      }
    }
    return tests.stream();
  }

  private static Technique jackson(String stax) {
    return new JacksonBinding(Parsers.named(stax));
  }

  private static void answered(UseCase useCase, Path request, Technique technique)
      throws Exception {
    Element content = content(request);
    Element due = content(Path.of(request.toString().replace(".request.", ".answer.")));
    String xml = text(new DOMSource(content));

    Source ofTree = technique.answer(useCase, new DOMSource(content));
    Source ofText = technique.answer(useCase, new StreamSource(new StringReader(xml)));
    String carried = technique.answer(useCase, text(new DOMSource(document(useCase, content))));

    assertThat(values(Trees.of(ofTree))).isEqualTo(values(due));
    assertThat(values(Trees.of(ofText))).isEqualTo(values(due));
    boolean wrapped = content.getNamespaceURI().equals(Names.SERVICE);
    Element dueDocument = wrapped ? Trees.children(due).iterator().next() : due;
    assertThat(values(Trees.parsed(carried))).isEqualTo(values(dueDocument));
  }

  private static List<Path> requests(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".request.xml")).sorted().toList();
    }
  }

  private static Element content(Path file) throws Exception {
    var builders = DocumentBuilderFactory.newDefaultNSInstance();
    builders.setAttribute("jdk.xml.maxElementDepth", "0"); // a JDK's own limit may be 100
    return content(builders.newDocumentBuilder().parse(file.toFile()).getDocumentElement());
  }

  private static Element content(JsonNode exchange, String message) {
    return content(Trees.parsed(exchange.get(message).asText()));
  }

  private static Element content(Element envelope) {
    Element body = Trees.children(envelope).iterator().next();
    return Trees.children(body).iterator().next();
  }

  /** The document of a wrapped message, as it stands in the file. */
  private static String carriedText(Path file) throws Exception {
    return Files.readString(file)
        .replaceFirst("(?s).*<soap:Body><k:tvDinner[^>]*>", "")
        .replaceFirst("(?s)</k:tvDinner></soap:Body>.*", "");
  }

  private static Element document(UseCase useCase, Element content) {
    return useCase.style(content.getNamespaceURI(), content.getLocalName()) == Style.WRAPPED
        ? Trees.children(content).iterator().next()
        : content;
  }

  private static String text(Source source) throws Exception {
    var text = new StringWriter();
    Trees.transformer().transform(source, new StreamResult(text));
    return text.toString();
  }

  /** Elements in order, leaves with their values; numbers as numbers. */
  private static List<String> values(Element top) {
    var values = new ArrayList<String>();
    collect(top, values);
    return values;
  }

  private static void collect(Element element, List<String> values) {
    String name = "{" + element.getNamespaceURI() + "}" + element.getLocalName();
    var children = new ArrayList<Element>();
    for (var node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child) {
        children.add(child);
      }
    }
    values.add(children.isEmpty() ? name + "=" + value(element.getTextContent()) : name);
    children.forEach(child -> collect(child, values));
  }

  private static String value(String text) {
    return text.matches("[0-9]+(\\.[0-9]+)?")
        ? new BigDecimal(text).stripTrailingZeros().toPlainString()
        : text;
  }
}

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.soap.SOAPBinding;
import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.JAXBElement;
import jakarta.xml.bind.Marshaller;
import jakarta.xml.ws.BindingProvider;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.WebEndpoint;
import jakarta.xml.ws.WebServiceClient;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.namespace.QName;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.dom.DOMSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * Asks an operation by the classes that a generator of Jakarta XML Web Services made: JaxWsCall.java CLASSES WSDL ADDRESS OPERATION
 * REQUEST. The request's values go through those classes, and so does the answer, which is printed.
 */
public class JaxWsCall {

  public static void main(String[] words) throws Exception {
    URL description = words[1].contains("://") ? URI.create(words[1]).toURL() : Path.of(words[1]).toUri().toURL();
    Path request = Path.of(words[4]);
    for (Class<?> service : services(Path.of(words[0]))) {
      for (Method getter : service.getMethods()) {
        if (!getter.isAnnotationPresent(WebEndpoint.class) || getter.getParameterCount() > 0) {
          continue;
        }
        for (Method operation : getter.getReturnType().getMethods()) {
          if (nameOf(operation).equals(words[3])) {
            Object port = getter.invoke(service.getConstructor(URL.class).newInstance(description));
            ((BindingProvider) port).getRequestContext().put(BindingProvider.ENDPOINT_ADDRESS_PROPERTY, words[2]);
            print(answer(port, operation, request));
            System.exit(0); // whatever threads a stack has left
          }
        }
      }
    }
    throw new IllegalStateException("what was generated has no operation " + words[3]);
  }

  private static List<Class<?>> services(Path classes) throws Exception {
    List<Class<?>> services = new ArrayList<>();
    try (var files = Files.walk(classes)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).sorted().toList()) {
        String name = classes.relativize(file).toString().replace(".class", "").replace('/', '.');
        Class<?> type = Class.forName(name, false, JaxWsCall.class.getClassLoader());
        if (type.isAnnotationPresent(WebServiceClient.class)) {
          services.add(type);
        }
      }
    }
    return services;
  }

  private static String nameOf(Method operation) {
    WebMethod named = operation.getAnnotation(WebMethod.class);
    return named == null || named.operationName().isEmpty() ? operation.getName() : named.operationName();
  }

  private static Object answer(Object port, Method operation, Path request) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    Element payload = factory.newDocumentBuilder().parse(request.toFile()).getDocumentElement();
    Parameter[] parameters = operation.getParameters();
    Object[] values = new Object[parameters.length];
    for (int i = 0; i < parameters.length; i++) {
      boolean held = parameters[i].getType() == Holder.class;
      values[i] = held ? new Holder<>() : read(part(payload, operation, parameters[i]), typeOf(parameters[i]));
    }
    Object answer = operation.invoke(port, values);
    for (int i = 0; answer == null && i < values.length; i++) {
      answer = values[i] instanceof Holder<?> holder ? holder.value : null;
    }
    return answer;
  }

  /** The element of the message that a parameter holds. */
  private static Element part(Element payload, Method operation, Parameter parameter) {
    SOAPBinding own = operation.getAnnotation(SOAPBinding.class);
    SOAPBinding all = operation.getDeclaringClass().getAnnotation(SOAPBinding.class);
    SOAPBinding style = own != null ? own : all;
    if (style != null && style.parameterStyle() == SOAPBinding.ParameterStyle.BARE) {
      return payload;
    }
    String name = parameter.getAnnotation(WebParam.class).name();
    for (Node node = payload.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getLocalName().equals(name)) {
        return element;
      }
    }
    throw new IllegalStateException("a parameter is called " + name + ", which the message does not hold");
  }

  private static Class<?> typeOf(Parameter parameter) {
    Type type = parameter.getParameterizedType();
    return type instanceof ParameterizedType generic ? (Class<?>) generic.getRawType() : (Class<?>) type;
  }

  private static <T> T read(Element element, Class<T> type) throws Exception {
    return JAXBContext.newInstance(type).createUnmarshaller().unmarshal(new DOMSource(element), type).getValue();
  }

  @SuppressWarnings("unchecked")
  private static void print(Object answer) throws Exception {
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    if (answer == null || answer instanceof String) {
      out.println(answer);
      return;
    }
    Marshaller marshaller = JAXBContext.newInstance(answer.getClass()).createMarshaller();
    marshaller.setProperty(Marshaller.JAXB_FRAGMENT, true);
    marshaller.marshal(new JAXBElement<>(new QName("answer"), (Class<Object>) answer.getClass(), answer), out);
    out.println();
  }
}

import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.namespace.QName;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import org.apache.axiom.om.OMAbstractFactory;
import org.apache.axiom.om.OMElement;
import org.apache.axiom.om.OMFactory;

/**
 * Asks an operation by the stub and the data classes that Axis2 made: AdbCall.java CLASSES ADDRESS OPERATION REQUEST. The request's
 * values go through those classes, and so does the answer, which is printed.
 */
public class AdbCall {

  public static void main(String[] words) throws Exception {
    Path classes = Path.of(words[0]);
    try (var files = Files.walk(classes)) {
      for (Path file : files.filter(path -> path.toString().endsWith("Stub.class")).sorted().toList()) {
        String name = classes.relativize(file).toString().replace(".class", "").replace('/', '.');
        Class<?> stub = Class.forName(name);
        for (Method operation : stub.getMethods()) {
          if (operation.getName().equals(words[2]) && operation.getParameterCount() == 1) {
            Object port = stub.getConstructor(String.class).newInstance(words[1]);
            print(operation.invoke(port, read(operation.getParameterTypes()[0], Path.of(words[3]))));
            System.exit(0); // whatever threads the stack has left
          }
        }
      }
    }
    throw new IllegalStateException("what was generated has no operation " + words[2]);
  }

  private static Object read(Class<?> type, Path request) throws Exception {
    XMLStreamReader reader = XMLInputFactory.newInstance().createXMLStreamReader(Files.newInputStream(request));
    return Class.forName(type.getName() + "$Factory").getMethod("parse", XMLStreamReader.class).invoke(null, reader);
  }

  private static void print(Object answer) throws Exception {
    OMElement element =
        (OMElement)
            answer
                .getClass()
                .getMethod("getOMElement", QName.class, OMFactory.class)
                .invoke(answer, answer.getClass().getField("MY_QNAME").get(null), OMAbstractFactory.getOMFactory());
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(element.toStringWithConsume());
  }
}

package steelyard.rmi;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.rmi.Remote;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A remote interface, with what it takes to call its methods by values in JSON. */
final class Contract {

  private final Class<?> remote;
  private final ClassLoader loader;
  private final Map<String, Method> methods = new HashMap<>();

  Contract(Job.Rmi declared) throws Refusal {
    loader = loader(declared.classes());
    remote = loaded(declared.remote(), loader);
    for (Method method : remote.getMethods()) {
      if (methods.put(method.getName(), method) != null) {
        throw new Refusal(remote.getName() + " has two methods called " + method.getName());
      }
    }
  }

  /** The name of the package whose classes may come in answers. */
  String packageName() {
    return remote.getPackageName();
  }

  ClassLoader loader() {
    return loader;
  }

  Class<?> remote() {
    return remote;
  }

  /** The method that a path ends in. */
  Method method(String path) throws Refusal {
    String name = path.substring(path.lastIndexOf('/') + 1);
    Method method = methods.get(name);
    if (method == null) {
      throw new Refusal(
          remote.getName() + " has no method '" + name + "', which the path " + path + " asks for");
    }
    return method;
  }

  /** The name in the registry that a path begins with. */
  static String name(String path) {
    return path.substring(path.startsWith("/") ? 1 : 0, Math.max(1, path.lastIndexOf('/')));
  }

  /**
   * A call's arguments from an object of JSON with a value for each parameter; one that lacks is
   * null.
   */
  static Object[] arguments(Method method, String body) throws Refusal {
    try {
      JsonNode said = Json.OF_VALUES.readTree(body);
      if (!(said instanceof ObjectNode values)) {
        throw new Refusal("a request of " + method.getName() + " is no object of values");
      }
      Parameter[] parameters = method.getParameters();
      var arguments = new Object[parameters.length];
      for (int i = 0; i < parameters.length; i++) {
        JsonNode value = values.remove(parameters[i].getName());
        var type = Json.OF_VALUES.constructType(parameters[i].getParameterizedType());
        arguments[i] = value == null ? null : Json.OF_VALUES.treeToValue(value, type);
        if (arguments[i] == null && parameters[i].getType().isPrimitive()) {
          throw new Refusal(method.getName() + " needs " + parameters[i].getName());
        }
      }
      if (!values.isEmpty()) {
        throw new Refusal(
            method.getName() + " has no parameter '" + values.fieldNames().next() + "'");
      }
      return arguments;
    } catch (JsonProcessingException e) {
      throw new Refusal("a request of " + method.getName() + " cannot be read: " + Json.words(e));
    }
  }

  /** An answer as JSON; the text null where there is none. */
  static byte[] written(Object answer) {
    try {
      return Json.OF_VALUES.writeValueAsBytes(answer);
    } catch (JsonProcessingException e) {
      return ("\"" + answer.getClass().getName() + " is no value of JSON\"").getBytes();
    }
  }

  private static ClassLoader loader(List<String> jars) throws Refusal {
    var urls = new URL[jars.size()];
    for (int i = 0; i < urls.length; i++) {
      var jar = new File(jars.get(i));
      if (!jar.isFile()) {
        throw new Refusal("the contract's classes are not there: " + jar);
      }
      try {
        urls[i] = jar.toURI().toURL();
      } catch (MalformedURLException e) {
        throw new Refusal(jar + " has no place among classes");
      }
    }
    return new URLClassLoader(urls, Contract.class.getClassLoader());
  }

  private static Class<?> loaded(String name, ClassLoader loader) throws Refusal {
    try {
      Class<?> found = Class.forName(name, false, loader);
      if (found.isInterface() && Remote.class.isAssignableFrom(found)) {
        return found;
      }
      throw new Refusal(name + " is no remote interface");
    } catch (ClassNotFoundException | LinkageError e) {
      throw new Refusal("the remote interface " + name + " is not among the contract's classes");
    }
  }
}

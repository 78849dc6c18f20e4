package steelyard.soakit.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Libraries of our own, which stand apart from WEB-INF/lib so that no server's stack takes them for
 * its own. They see the JDK, each other, and what is shared with them; a server's own version of
 * them they do not see.
 */
final class Brought extends URLClassLoader {

  private static final ClassLoader APPLICATION = Brought.class.getClassLoader();
  private static final String OURS = "steelyard.";

  private final List<String> shared;
  private final List<String> made;

  /**
   * By the beginnings of their names: `shared` are classes of the application, `made` those that
   * are made here once more, from its files.
   */
  private Brought(String list, List<String> shared, List<String> made) {
    super(urls(list), ClassLoader.getPlatformClassLoader());
    this.shared = shared;
    this.made = made;
  }

  /** The StAX libraries, which need nothing of the application. */
  static ClassLoader stax() {
    return new Brought("stax", List.of(), List.of());
  }

  /** EclipseLink MOXy, which binds the application's classes by the server's interface. */
  static ClassLoader moxy() {
    return new Brought(
        "moxy", List.of("jakarta.xml.bind.", "jakarta.activation.", OURS), List.of());
  }

  /**
   * Apache XMLBeans. Its compiler's classes extend its own, so that what knows them is made here
   * once more; only faults are the application's own.
   */
  static ClassLoader xmlBeans() {
    return new Brought("xmlbeans", List.of("jakarta.", BadDocument.class.getName()), List.of(OURS));
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    if (shared.stream().anyMatch(name::startsWith)) {
      return APPLICATION.loadClass(name);
    }
    return made.stream().anyMatch(name::startsWith) ? fromFile(name) : super.findClass(name);
  }

  /** What XMLBeans' compiler made beside classes is among the application's files. */
  @Override
  public URL findResource(String name) {
    boolean ofCompiler = !made.isEmpty() && name.startsWith("steelyard/soakit/metadata/");
    return ofCompiler ? APPLICATION.getResource(name) : super.findResource(name);
  }

  private Class<?> fromFile(String name) throws ClassNotFoundException {
    try (InputStream file = APPLICATION.getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (file == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] content = file.readAllBytes();
      return defineClass(name, content, 0, content.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private static URL[] urls(String list) {
    try (InputStream names = resource(list)) {
      var jars = new String(names.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      var urls = new URL[jars.size()];
      for (int place = 0; place < urls.length; place++) {
        urls[place] = copied(jars.get(place));
      }
      return urls;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file of its own: a product may keep the application in an archive of its own kind. */
  private static URL copied(String jar) throws IOException {
    Path file = Files.createTempFile("soakit-", ".jar");
    file.toFile().deleteOnExit();
    try (InputStream content = resource(jar)) {
      Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
    }
    return file.toUri().toURL();
  }

  private static InputStream resource(String name) {
    InputStream found = Brought.class.getResourceAsStream("/brought/" + name);
    if (found == null) {
      throw new IllegalStateException("the application does not bring " + name + " along");
    }
    return found;
  }
}

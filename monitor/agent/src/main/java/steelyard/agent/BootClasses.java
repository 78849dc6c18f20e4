package steelyard.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/**
 * Puts what woven code calls, and the monitor that it calls in turn, where every class loader sees
 * it: behind the JVM's own classes. The rest of the agent, the library that weaves above all, stays
 * with the agent.
 */
final class BootClasses {

  private static final String OF_AGENT = "steelyard/agent/";
  private static final String[] FOLDERS = {OF_AGENT + "boot/", OF_AGENT + "monitor/"};

  private BootClasses() {}

  /** Must come before any of these classes is used, or there would be two of each. */
  static void append(Instrumentation instrumentation) throws IOException, URISyntaxException {
    Path agent =
        Path.of(BootClasses.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path jar = Files.createTempFile("steelyard-agent-", ".jar");
    jar.toFile().deleteOnExit();
    try (JarFile all = new JarFile(agent.toFile());
        JarOutputStream some = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Enumeration<JarEntry> entries = all.entries(); entries.hasMoreElements(); ) {
        JarEntry entry = entries.nextElement();
        if (isOne(entry.getName())) {
          some.putNextEntry(new JarEntry(entry.getName()));
          try (InputStream content = all.getInputStream(entry)) {
            content.transferTo(some);
          }
        }
      }
    }
    letModulesSeeThem("jboss.modules.system.pkgs", "steelyard.agent");
    letModulesSeeThem("org.osgi.framework.bootdelegation", "steelyard.agent.*");
    instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar.toFile()));
  }

  private static boolean isOne(String name) {
    for (String folder : FOLDERS) {
      if (name.startsWith(folder) && name.endsWith(".class")) {
        return true;
      }
    }
    return false;
  }

  /** Servers that are made of modules ask the JVM for packages that are named to them, only. */
  private static void letModulesSeeThem(String property, String packages) {
    String before = System.getProperty(property, "");
    System.setProperty(property, before.isBlank() ? packages : before + "," + packages);
  }
}

package steelyard.rmi;

import java.io.ObjectInputFilter;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * What may be deserialized in this process: the contract's values, what RMI itself sends, and what
 * its exceptions are made of; bounded in depth, number and size.
 */
final class Filter implements ObjectInputFilter {

  private static final ObjectInputFilter BOUNDS =
      Config.createFilter("maxdepth=1000;maxrefs=2000000;maxbytes=67108864;maxarray=16777216");

  /** Values that a contract may use, and RMI's own classes of references. */
  private static final Set<String> PACKAGES =
      Set.of(
          "java.lang",
          "java.math",
          "java.time",
          "java.lang.reflect", // proxies are what stubs are
          "java.rmi",
          "java.rmi.dgc",
          "java.rmi.server",
          "sun.rmi.server",
          "sun.rmi.transport");

  private final Set<String> packages = new HashSet<>(PACKAGES);

  private Filter(Collection<Contract> contracts) {
    contracts.forEach(contract -> packages.add(contract.packageName()));
  }

  /** Sets it for the whole process, which can be done once. */
  static void set(Collection<Contract> contracts) {
    Config.setSerialFilter(new Filter(contracts));
  }

  @Override
  public Status checkInput(FilterInfo info) {
    if (BOUNDS.checkInput(info) == Status.REJECTED) {
      return Status.REJECTED;
    }
    Class<?> type = info.serialClass();
    while (type != null && type.isArray()) {
      type = type.componentType();
    }
    if (type == null || type.isPrimitive()) {
      return Status.UNDECIDED;
    }
    return isAllowed(type) ? Status.ALLOWED : Status.REJECTED;
  }

  private boolean isAllowed(Class<?> type) {
    return packages.contains(type.getPackageName())
        || Proxy.isProxyClass(type) // its interfaces are asked after, too
        || type.getName().startsWith("java.util.Collections$") // in what an exception suppresses
        || Throwable.class.isAssignableFrom(type) && type.getName().startsWith("java.");
  }
}

package steelyard.rmi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * What this process has used: processor time in ns, of all threads, and the most memory in bytes.
 * The JDK's own beans tell processor time in hundredths of a second.
 */
record Usage(long userNs, long systemNs, long mostBytes) {

  private static final int LONGS = 18; // struct rusage of Linux, 64 bits
  private static final int KIBIBYTES = 4; // the place of ru_maxrss
  private static final MethodHandle GETRUSAGE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("getrusage").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  static Usage now() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment told = arena.allocate(ValueLayout.JAVA_LONG, LONGS);
      int failed = (int) GETRUSAGE.invokeExact(0, told);
      if (failed != 0) {
        throw new IllegalStateException("the kernel does not tell what this process uses");
      }
      return new Usage(
          ns(told, 0), ns(told, 2), told.getAtIndex(ValueLayout.JAVA_LONG, KIBIBYTES) * 1024);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("getrusage cannot be called", e);
    }
  }

  Usage since(Usage earlier) {
    return new Usage(userNs - earlier.userNs, systemNs - earlier.systemNs, mostBytes);
  }

  long cpuNs() {
    return userNs + systemNs;
  }

  private static long ns(MemorySegment told, int place) {
    long seconds = told.getAtIndex(ValueLayout.JAVA_LONG, place);
    return seconds * 1_000_000_000 + told.getAtIndex(ValueLayout.JAVA_LONG, place + 1) * 1000;
  }
}

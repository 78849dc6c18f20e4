package steelyard.petstore.events;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * The pauses of this JVM's collectors as events: `young_begun` and `young_ended`, `old_begun` and
 * `old_ended`, by a number of their own and this process's. The JVM tells them to the millisecond.
 * Work that an old collection does beside the application is no pause, and not among them.
 */
public final class Collections implements AutoCloseable {

  private static final String COLLECTION = "com.sun.management.gc.notification";
  private static final String PREFIX = "collection-" + ProcessHandle.current().pid() + "-";
  private static final long NANOS = 1_000_000; // of a millisecond

  private final EventLog events;
  private final long startNanos =
      System.nanoTime() - ManagementFactory.getRuntimeMXBean().getUptime() * NANOS;
  private final AtomicLong numbers = new AtomicLong();
  private final List<NotificationEmitter> emitters = new ArrayList<>();
  private final NotificationListener listener = (told, unused) -> record(told);

  public Collections(EventLog events) {
    this.events = events;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(listener, null, null);
        emitters.add(emitter);
      }
    }
  }

  private void record(Notification told) {
    if (!told.getType().equals(COLLECTION)
        || !(told.getUserData() instanceof CompositeData collection)
        || !(collection.get("gcInfo") instanceof CompositeData info)) {
      return;
    }
    String kind = collection.get("gcAction").equals("end of minor GC") ? "young" : "old";
    String id = PREFIX + numbers.incrementAndGet();
    events.record(kind + "_begun", id, startNanos + (Long) info.get("startTime") * NANOS);
    events.record(kind + "_ended", id, startNanos + (Long) info.get("endTime") * NANOS);
  }

  @Override
  public void close() {
    for (NotificationEmitter emitter : emitters) {
      try {
        emitter.removeNotificationListener(listener);
      } catch (ListenerNotFoundException gone) {
        continue; // it is what was wanted
      }
    }
  }
}

package steelyard.rmi;

import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;

/** Looks for a text in values, which may nest as deep as they like. */
final class Texts {

  /** How a record's values are read, by its class. */
  private static final ClassValue<RecordComponent[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
          RecordComponent[] components = type.getRecordComponents();
          for (RecordComponent component : components) {
            component.getAccessor().setAccessible(true);
          }
          return components;
        }
      };

  private Texts() {}

  /** Whether a text of the value, or of what it holds, contains another. */
  static boolean contains(Object value, String wanted) {
    var left = new ArrayDeque<Object>();
    for (Object next = value; next != null; next = left.poll()) {
      switch (next) {
        case String text when text.contains(wanted) -> {
          return true;
        }
        case Object[] items -> pushAll(left, items);
        case Iterable<?> items -> items.forEach(item -> push(left, item));
        case Record values -> pushValues(left, values);
        default -> {} // a number, a date
      }
    }
    return false;
  }

  private static void pushAll(ArrayDeque<Object> left, Object[] items) {
    for (int i = items.length - 1; i >= 0; i--) { // so that the first is looked at first
      push(left, items[i]);
    }
  }

  private static void pushValues(ArrayDeque<Object> left, Record values) {
    RecordComponent[] components = COMPONENTS.get(values.getClass());
    for (int i = components.length - 1; i >= 0; i--) {
      if (!components[i].getType().isPrimitive()) {
        try {
          push(left, components[i].getAccessor().invoke(values));
        } catch (ReflectiveOperationException e) {
          // A value that cannot be read holds no text.
        }
      }
    }
  }

  private static void push(ArrayDeque<Object> left, Object item) {
    if (item != null) {
      left.push(item);
    }
  }
}

package steelyard.rmi;

import java.lang.reflect.Method;

/**
 * A request of the corpus, ready to be called.
 *
 * @param marker a text that every right answer holds; null where there is none
 */
record Entry(int number, String name, Method method, Object[] arguments, String marker) {}

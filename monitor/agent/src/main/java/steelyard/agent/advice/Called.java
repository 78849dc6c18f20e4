package steelyard.agent.advice;

import net.bytebuddy.asm.Advice;
import steelyard.agent.Layer;
import steelyard.agent.boot.Hooks;
import steelyard.monitor.Tag;

/**
 * Woven into the methods of endpoints and beans: their names and how they failed are facts about
 * the request.
 */
public final class Called {

  private Called() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static boolean enter(@Layer Tag layer, @Advice.Origin("#m") String name) {
    return Hooks.enter(layer, name);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(
      @Advice.Enter boolean entered, @Layer Tag layer, @Advice.Thrown Throwable thrown) {
    if (entered) {
      Hooks.leave(layer, thrown);
    }
  }
}

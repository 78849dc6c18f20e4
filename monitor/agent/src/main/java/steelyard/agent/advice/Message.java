package steelyard.agent.advice;

import net.bytebuddy.asm.Advice;
import steelyard.agent.Layer;
import steelyard.agent.boot.Hooks;
import steelyard.monitor.Tag;

/** Woven into the place where a stack handles a message. */
public final class Message {

  private Message() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static boolean enter(@Layer Tag layer) {
    return Hooks.enterMessage(layer);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(@Advice.Enter boolean entered, @Layer Tag layer) {
    if (entered) {
      Hooks.leave(layer);
    }
  }
}

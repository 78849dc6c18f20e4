package steelyard.agent.advice;

import net.bytebuddy.asm.Advice;
import steelyard.agent.boot.Hooks;
import steelyard.monitor.Tag;

/** Woven into the execution of statements. */
public final class Execution {

  private Execution() {}

  @Advice.OnMethodEnter(suppress = Throwable.class)
  static Tag enter(
      @Advice.This Object statement,
      @Advice.Origin("#m") String method,
      @Advice.Argument(value = 0, optional = true) Object first) {
    return Hooks.execute(statement, method, first);
  }

  @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
  static void exit(@Advice.Enter Tag entered) {
    if (entered != null) {
      Hooks.leave(entered);
    }
  }
}

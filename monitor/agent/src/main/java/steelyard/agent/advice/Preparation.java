package steelyard.agent.advice;

import net.bytebuddy.asm.Advice;
import steelyard.agent.boot.Hooks;

/** Woven into the preparation of statements. */
public final class Preparation {

  private Preparation() {}

  @Advice.OnMethodExit(suppress = Throwable.class)
  static void exit(@Advice.Return Object statement, @Advice.Argument(0) String sql) {
    Hooks.prepared(statement, sql);
  }
}

package steelyard.soaservers;

import java.util.List;
import steelyard.soaservers.contract.Token;

/** Calls a service by its name. */
public interface Caller {

  /** The callee's answer; any failure is an unchecked exception. */
  List<Token> propagate(String callee, int depth, List<String> parameters);
}

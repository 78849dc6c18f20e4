package steelyard.soaservers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import steelyard.soaservers.contract.Token;

/**
 * What every service does: it makes its own token, calls its callees, and joins their tokens in the
 * declared order.
 */
public final class Propagation {

  private final Caller caller;
  private final ExecutorService callers = Executors.newCachedThreadPool(daemons());

  /** Calls go through {@code caller}. */
  public Propagation(Caller caller) {
    this.caller = caller;
  }

  /** The tokens of a node and of all below it. A callee that fails makes it fail. */
  public List<Token> tokens(Node node, int depth, List<String> parameters) {
    var tokens = new ArrayList<Token>();
    tokens.add(token(node.name(), depth, parameters));
    if (node.parallel()) {
      node.calls().stream()
          .map(callee -> inBackground(callee, depth + 1, parameters))
          .toList()
          .forEach(answer -> tokens.addAll(answered(answer)));
    } else {
      node.calls()
          .forEach(callee -> tokens.addAll(caller.propagate(callee, depth + 1, parameters)));
    }
    return tokens;
  }

  private CompletableFuture<List<Token>> inBackground(
      String callee, int depth, List<String> parameters) {
    return CompletableFuture.supplyAsync(
        () -> caller.propagate(callee, depth, parameters), callers);
  }

  private static List<Token> answered(CompletableFuture<List<Token>> answer) {
    try {
      return answer.join();
    } catch (CompletionException | CancellationException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private static Token token(String service, int depth, List<String> parameters) {
    var token = new Token();
    token.setService(service);
    token.setDepth(depth);
    token.getParameter().addAll(parameters);
    return token;
  }

  /**
   * Threads that do not keep the server from ending; a new one inherits the request's class loader.
   */
  private static ThreadFactory daemons() {
    return task -> {
      var thread = new Thread(task, "soaservers-call");
      thread.setDaemon(true);
      return thread;
    };
  }
}

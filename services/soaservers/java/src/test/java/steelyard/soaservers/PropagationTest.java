package steelyard.soaservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import steelyard.soaservers.contract.Token;

class PropagationTest {

  private static final List<String> PARAMETERS = List.of("first", "second");
  private final ConcurrentLinkedQueue<String> called = new ConcurrentLinkedQueue<>();

  @Test
  void sequentialCalleesAreCalledOneAfterTheOther() {
    var propagation = new Propagation(this::leaf);

    List<Token> tokens =
        propagation.tokens(new Node("a", List.of("b", "c", "b"), false), 2, PARAMETERS);

    assertThat(tokens).extracting(Token::getService).containsExactly("a", "b", "c", "b");
    assertThat(tokens).extracting(Token::getDepth).containsExactly(2, 3, 3, 3);
    assertThat(tokens).allSatisfy(token -> assertThat(token.getParameter()).isEqualTo(PARAMETERS));
    assertThat(called).containsExactly("b", "c", "b");
  }

  @Test
  void parallelCalleesAreCalledAtOnceAndJoinedInTheDeclaredOrder() {
    var lastIsCalled = new CountDownLatch(1);
    var propagation =
        new Propagation(
            (callee, depth, parameters) -> {
              if (callee.equals("c")) {
                lastIsCalled.countDown();
              } else {
                await(lastIsCalled);
              }
              return leaf(callee, depth, parameters);
            });

    List<Token> tokens = propagation.tokens(new Node("a", List.of("b", "c"), true), 0, PARAMETERS);

    assertThat(tokens).extracting(Token::getService).containsExactly("a", "b", "c");
    assertThat(called).containsExactlyInAnyOrder("b", "c");
  }

  @Test
  void calleeThatFailsMakesItsCallerFail() {
    for (boolean parallel : new boolean[] {false, true}) {
      var propagation =
          new Propagation(
              (callee, depth, parameters) -> {
                throw new IllegalStateException(callee + " is down");
              });

      assertThatThrownBy(
              () -> propagation.tokens(new Node("a", List.of("b"), parallel), 0, PARAMETERS))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("b is down");
    }
  }

  private List<Token> leaf(String callee, int depth, List<String> parameters) {
    called.add(callee);
    return new Propagation(null).tokens(new Node(callee, List.of(), false), depth, parameters);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}

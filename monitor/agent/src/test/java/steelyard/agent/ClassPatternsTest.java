package steelyard.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.matcher.ElementMatcher;
import org.junit.jupiter.api.Test;

class ClassPatternsTest {

  private static final String SPRING = "org.springframework.web.bind.annotation.";
  private static final ElementMatcher<MethodDescription> WATCHED =
      ClassPatterns.methods(List.of("example.Items"));

  @Test
  void aMethodThatHandlesRequestsIsWatchedThoughItIsNotPublic() {
    assertThat(watched(Visibility.PACKAGE_PRIVATE, SPRING + "GetMapping")).isTrue();
    assertThat(watched(Visibility.PROTECTED, "jakarta.ws.rs.GET")).isTrue();
    assertThat(watched(Visibility.PUBLIC, "example.Anything")).isTrue();
  }

  @Test
  void anotherMethodThatIsNotPublicIsNotWatched() {
    assertThat(watched(Visibility.PACKAGE_PRIVATE, "example.Anything")).isFalse();
    assertThat(watched(Visibility.PRIVATE, SPRING + "GetMapping")).isFalse();
  }

  private static boolean watched(Visibility visibility, String annotation) {
    TypeDescription kind =
        new ByteBuddy().makeAnnotation().name(annotation).make().getTypeDescription();
    DynamicType made =
        new ByteBuddy()
            .subclass(Object.class)
            .name("example.Items")
            .defineMethod("item", Object.class, visibility)
            .intercept(StubMethod.INSTANCE)
            .annotateMethod(AnnotationDescription.Builder.ofType(kind).build())
            .make();
    return made.getTypeDescription().getDeclaredMethods().stream()
        .filter(method -> method.getName().equals("item"))
        .anyMatch(WATCHED::matches);
  }
}

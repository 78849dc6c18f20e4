package steelyard.agent;

import java.util.List;
import java.util.regex.Pattern;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Classes as settings name them: {@code com.example.*Service} by name, {@code
 * com.example.Orders#place} one method of a class, {@code @com.example.Managed} by an annotation.
 */
final class ClassPatterns {

  /** The packages with the annotations of methods that handle requests. */
  private static final List<String> OF_HANDLERS =
      List.of(
          "jakarta.ws.rs.",
          "javax.ws.rs.",
          "org.springframework.web.bind.annotation.",
          "org.springframework.ws.server.endpoint.annotation.");

  private ClassPatterns() {}

  /** Whether a class is one of those that are named. */
  static boolean any(List<String> patterns, TypeDescription type) {
    for (String pattern : patterns) {
      if (names(pattern, type)) {
        return true;
      }
    }
    return false;
  }

  /**
   * What is watched of such classes: the methods that a pattern names, of each other the public
   * ones, and those that a framework calls for a request, which need not be public.
   */
  static ElementMatcher<MethodDescription> methods(List<String> patterns) {
    return method -> {
      TypeDescription type = method.getDeclaringType().asErasure();
      for (String pattern : patterns) {
        int hash = pattern.indexOf('#');
        boolean meant =
            hash < 0
                ? method.isPublic() || handlesRequests(method)
                : method.getName().equals(pattern.substring(hash + 1));
        if (meant && method.isMethod() && !isCompilers(method) && names(pattern, type)) {
          return true;
        }
      }
      return false;
    };
  }

  private static boolean handlesRequests(MethodDescription method) {
    for (AnnotationDescription annotation : method.getDeclaredAnnotations()) {
      String name = annotation.getAnnotationType().getName();
      if (!method.isPrivate() && OF_HANDLERS.stream().anyMatch(name::startsWith)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCompilers(MethodDescription method) {
    return method.isStatic() || ElementMatchers.isSynthetic().matches(method);
  }

  private static boolean names(String pattern, TypeDescription type) {
    int hash = pattern.indexOf('#');
    String named = hash < 0 ? pattern : pattern.substring(0, hash);
    if (!named.startsWith("@")) {
      return named.indexOf('*') < 0
          ? named.equals(type.getName())
          : Pattern.matches(Pattern.quote(named).replace("*", "\\E.*\\Q"), type.getName());
    }
    for (AnnotationDescription annotation : type.getDeclaredAnnotations()) {
      if (annotation.getAnnotationType().getName().equals(named.substring(1))) {
        return true;
      }
    }
    return false;
  }
}

package steelyard.agent;

import static net.bytebuddy.matcher.ElementMatchers.isInterface;
import static net.bytebuddy.matcher.ElementMatchers.isSynthetic;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import steelyard.agent.boot.Hooks;

/**
 * Puts calls of the hooks into classes while they are loaded, where a {@link Point} says so. A
 * class that cannot be changed stays as it is and is counted; one whose loader does not see the
 * hooks is not touched.
 */
final class Weaver {

  /** What no application brings, or what is ours: not even looked at. */
  private static final String[] IGNORED = {"java.", "jdk.", "sun.", "steelyard.agent."};

  private final Settings settings;
  private final Counts counts;
  private final Map<ClassLoader, Boolean> seeing = Collections.synchronizedMap(new WeakHashMap<>());

  private Weaver(Settings settings, Counts counts) {
    this.settings = settings;
    this.counts = counts;
  }

  /** The transformation of classes that the settings ask for. */
  static AgentBuilder of(Settings settings, Counts counts) {
    Weaver weaver = new Weaver(settings, counts);
    AgentBuilder builder =
        new AgentBuilder.Default(new ByteBuddy().with(TypeValidation.DISABLED))
            .disableClassFormatChanges()
            .with(counts)
            .ignore((type, loader, module, redefined, domain) -> weaver.leaves(type, loader));
    for (Point point : Points.of(settings)) {
      builder = weaver.with(builder, point);
    }
    return builder;
  }

  private AgentBuilder with(AgentBuilder builder, Point point) {
    Advice.WithCustomMapping mapping = Advice.withCustomMapping();
    if (point.tag() != null) {
      mapping = mapping.bind(Layer.class, point.tag());
    }
    AgentBuilder.Transformer advice =
        new AgentBuilder.Transformer.ForAdvice(mapping)
            .include(Weaver.class.getClassLoader())
            .advice(point.methods(), point.advice());
    return builder
        .type(
            (type, loader, module, redefined, domain) ->
                point.types().matches(type) && sees(type, loader))
        .transform(
            (type, description, loader, module, domain) -> {
              counts.woven(point.layer());
              return advice.transform(type, description, loader, module, domain);
            });
  }

  private boolean leaves(TypeDescription type, ClassLoader loader) {
    String name = type.getName();
    if (Points.OF_THE_JVM.contains(name)) {
      return false;
    }
    if (loader == null || loader == ClassLoader.getPlatformClassLoader()) {
      return true;
    }
    for (String ignored : IGNORED) {
      if (name.startsWith(ignored)) {
        return true;
      }
    }
    return ClassPatterns.any(settings.exclude(), type)
        || isInterface().or(isSynthetic()).matches(type);
  }

  /** Whether what is woven in will find the hooks; asked once of each loader. */
  private boolean sees(TypeDescription type, ClassLoader loader) {
    if (loader == null) {
      return true;
    }
    Boolean known = seeing.get(loader);
    if (known == null) {
      known = isSame(loader); // outside of any lock: it is the loader's code that runs
      seeing.put(loader, known);
    }
    if (!known) {
      counts.unseen(type.getName(), loader);
    }
    return known;
  }

  private static boolean isSame(ClassLoader loader) {
    try {
      return Class.forName(Hooks.class.getName(), false, loader) == Hooks.class;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}

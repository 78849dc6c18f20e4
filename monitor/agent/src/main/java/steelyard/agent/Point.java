package steelyard.agent;

import java.lang.reflect.Field;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * Where something is woven in.
 *
 * @param layer what the settings call it
 * @param tag the field that holds the layer's tag; null where the advice knows it
 * @param advice the name of the class whose code it is: it may speak of classes that only the
 *     application has
 * @param types of classes that are changed
 * @param methods of these classes
 */
record Point(
    String layer,
    Field tag,
    String advice,
    ElementMatcher<? super TypeDescription> types,
    ElementMatcher<? super MethodDescription> methods) {}

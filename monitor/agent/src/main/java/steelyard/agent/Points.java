package steelyard.agent;

import static net.bytebuddy.matcher.ElementMatchers.declaresMethod;
import static net.bytebuddy.matcher.ElementMatchers.hasSuperType;
import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isStatic;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static net.bytebuddy.matcher.ElementMatchers.returns;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import steelyard.monitor.Layers;

/**
 * All that is watched, layer by layer. A class is known by its name, its annotations or its own
 * methods' descriptors first: to ask for what it extends, of every class that is loaded, would cost
 * a server seconds of its start.
 */
final class Points {

  /** Classes of the JVM itself that are watched, all others being left alone. */
  static final Set<String> OF_THE_JVM =
      Set.of("jdk.internal.net.http.HttpClientImpl", "sun.net.www.protocol.http.HttpURLConnection");

  private static final String ADVICE = "steelyard.agent.advice.";
  private static final List<String> NAMESPACES = List.of("jakarta", "javax");

  private static final List<String> ENDPOINTS =
      List.of(
          "@jakarta.jws.WebService",
          "@javax.jws.WebService",
          "@jakarta.xml.ws.WebServiceProvider",
          "@javax.xml.ws.WebServiceProvider",
          "@jakarta.ws.rs.Path",
          "@javax.ws.rs.Path",
          "@org.springframework.ws.server.endpoint.annotation.Endpoint",
          "@org.springframework.stereotype.Controller",
          "@org.springframework.web.bind.annotation.RestController");

  private static final List<String> BEANS =
      List.of(
          "@jakarta.ejb.Stateless",
          "@jakarta.ejb.Stateful",
          "@jakarta.ejb.Singleton",
          "@javax.ejb.Stateless",
          "@javax.ejb.Stateful",
          "@javax.ejb.Singleton",
          "@jakarta.enterprise.context.ApplicationScoped",
          "@jakarta.enterprise.context.RequestScoped",
          "@jakarta.enterprise.context.SessionScoped",
          "@javax.enterprise.context.ApplicationScoped",
          "@javax.enterprise.context.RequestScoped",
          "@javax.enterprise.context.SessionScoped",
          "@org.springframework.stereotype.Service");

  private static final String[] OF_SESSIONS = {
    "beginTransaction",
    "byId",
    "byMultipleIds",
    "clear",
    "createMutationQuery",
    "createNamedQuery",
    "createNativeMutationQuery",
    "createNativeQuery",
    "createQuery",
    "createSelectionQuery",
    "close",
    "delete",
    "detach",
    "evict",
    "find",
    "findMultiple",
    "flush",
    "get",
    "getMultiple",
    "getReference",
    "immediateLoad",
    "initializeCollection",
    "insert",
    "internalLoad",
    "load",
    "lock",
    "merge",
    "persist",
    "refresh",
    "remove",
    "replicate",
    "save",
    "saveOrUpdate",
    "update",
    "upsert"
  };
  private static final String[] OF_QUERIES = {
    "executeUpdate",
    "getResultCount",
    "getResultList",
    "getResultStream",
    "getSingleResult",
    "getSingleResultOrNull",
    "iterate",
    "list",
    "scroll",
    "setParameter",
    "setParameterList",
    "stream",
    "uniqueResult",
    "uniqueResultOptional"
  };
  private static final String[] OF_EXECUTIONS = {
    "execute",
    "executeBatch",
    "executeLargeBatch",
    "executeLargeUpdate",
    "executeQuery",
    "executeUpdate"
  };

  private Points() {}

  /** Those of the layers that the settings do not turn off. */
  static List<Point> of(Settings settings) {
    List<Point> points = new ArrayList<>();
    for (String namespace : NAMESPACES) {
      points.add(web(namespace));
      points.add(handlers(namespace));
      points.addAll(messages(namespace));
    }
    points.addAll(soap());
    List<String> endpoints = joined(ENDPOINTS, settings.endpoints());
    points.add(called("ws", "WS", endpoints, List.of()));
    points.add(called("si", "SI", joined(BEANS, settings.services()), endpoints));
    points.addAll(hibernate());
    points.addAll(jdbc());
    points.addAll(http());
    return points.stream().filter(point -> !settings.off().contains(point.layer())).toList();
  }

  private static List<String> joined(List<String> known, List<String> more) {
    List<String> all = new ArrayList<>(known);
    all.addAll(more);
    return all;
  }

  /** Filter chains, filters and servlets, whichever of them a container asks first. */
  private static Point web(String namespace) {
    String servlet = namespace + ".servlet.";
    ElementMatcher.Junction<MethodDescription> asked =
        takesArgument(0, named(servlet + "ServletRequest"))
            .and(takesArgument(1, named(servlet + "ServletResponse")));
    ElementMatcher.Junction<MethodDescription> filters =
        named("doFilter")
            .and(takesArguments(3))
            .and(takesArgument(2, named(servlet + "FilterChain")));
    ElementMatcher.Junction<MethodDescription> methods =
        asked.and(namedOneOf("doFilter", "service").and(takesArguments(2)).or(filters));
    String advice = namespace.equals("jakarta") ? "JakartaServlet" : "JavaxServlet";
    return new Point("filter", null, ADVICE + advice, declaring(methods), methods);
  }

  /** The message handlers of an application. */
  private static Point handlers(String namespace) {
    ElementMatcher.Junction<MethodDescription> methods =
        namedOneOf("handleMessage", "handleFault")
            .and(takesArguments(1))
            .and(returns(boolean.class));
    return within(
        "soap",
        "SOAP",
        "Message",
        declaring(methods).and(hasSuperType(named(namespace + ".xml.ws.handler.Handler"))),
        methods);
  }

  /**
   * Where each stack has the envelope of a request in its hands, until it has that of the answer.
   */
  private static List<Point> soap() {
    return List.of(
        message(nameStartsWith("com.sun.xml.ws.server.WSEndpointImpl$"), "process"),
        message(named("org.apache.cxf.transport.ChainInitiationObserver"), "onMessage"),
        message(named("org.apache.axis2.engine.AxisEngine"), "receive"),
        message(named("org.springframework.ws.server.MessageDispatcher"), "receive"));
  }

  private static Point message(ElementMatcher.Junction<TypeDescription> types, String method) {
    ElementMatcher.Junction<MethodDescription> methods = named(method);
    return within("soap", "SOAP", "Message", types.and(declaresMethod(methods)), methods);
  }

  private static Point called(String layer, String tag, List<String> patterns, List<String> but) {
    ElementMatcher<TypeDescription> types =
        type -> ClassPatterns.any(patterns, type) && !ClassPatterns.any(but, type);
    return new Point(layer, tag(tag), ADVICE + "Called", types, ClassPatterns.methods(patterns));
  }

  /** By the names of Hibernate's classes, through all its versions: of the interfaces' calls. */
  private static List<Point> hibernate() {
    ElementMatcher.Junction<TypeDescription> engine = nameStartsWith("org.hibernate.");
    ElementMatcher.Junction<MethodDescription> sessions = publicOneOf(OF_SESSIONS);
    ElementMatcher.Junction<MethodDescription> queries = publicOneOf(OF_QUERIES);
    ElementMatcher.Junction<MethodDescription> transactions =
        publicOneOf("begin", "commit", "rollback");
    ElementMatcher.Junction<MethodDescription> factories =
        publicOneOf("openSession", "openStatelessSession", "createEntityManager");
    return List.of(
        engineOf(engine, "org.hibernate.SharedSessionContract", sessions),
        engineOf(engine, "org.hibernate.query.CommonQueryContract", queries),
        engineOf(engine, "org.hibernate.Transaction", transactions),
        engineOf(engine, "org.hibernate.SessionFactory", factories));
  }

  private static Point engineOf(
      ElementMatcher.Junction<TypeDescription> engine,
      String contract,
      ElementMatcher.Junction<MethodDescription> methods) {
    return within(
        "hibernate",
        "HIBERNATE",
        "Within",
        engine.and(declaring(methods)).and(hasSuperType(named(contract))),
        methods);
  }

  private static List<Point> jdbc() {
    ElementMatcher.Junction<MethodDescription> executed =
        publicOneOf(OF_EXECUTIONS).and(takesArguments(0).or(takesArgument(0, String.class)));
    ElementMatcher.Junction<MethodDescription> prepared =
        namedOneOf("prepareStatement", "prepareCall")
            .and(takesArgument(0, String.class))
            .and(returns(namedOneOf("java.sql.PreparedStatement", "java.sql.CallableStatement")));
    return List.of(
        new Point(
            "jdbc",
            null,
            ADVICE + "Execution",
            declaring(executed).and(hasSuperType(named("java.sql.Statement"))),
            executed),
        new Point("jdbc", null, ADVICE + "Preparation", declaring(prepared), prepared));
  }

  private static List<Point> messages(String namespace) {
    String jms = namespace + ".jms.";
    ElementMatcher.Junction<MethodDescription> sent = publicOneOf("send");
    ElementMatcher.Junction<MethodDescription> awaited =
        publicOneOf("receive", "receiveNoWait").and(returns(named(jms + "Message")));
    return List.of(
        within(
            "jms",
            "JMS",
            "Within",
            declaring(sent)
                .and(hasSuperType(namedOneOf(jms + "MessageProducer", jms + "JMSProducer"))),
            sent),
        within("jms", "JMS", "Within", declaring(awaited), awaited));
  }

  private static List<Point> http() {
    return List.of(
        client("jdk.internal.net.http.HttpClientImpl", "send"),
        client("sun.net.www.protocol.http.HttpURLConnection", "connect", "getInputStream"),
        client("org.apache.http.impl.client.InternalHttpClient", "doExecute"),
        client("org.apache.hc.client5.http.impl.classic.InternalHttpClient", "doExecute"),
        client("okhttp3.internal.connection.RealCall", "execute"));
  }

  private static Point client(String type, String... methods) {
    return within("http", "HTTP", "Within", named(type), namedOneOf(methods));
  }

  private static Point within(
      String layer,
      String tag,
      String advice,
      ElementMatcher<? super TypeDescription> types,
      ElementMatcher<? super MethodDescription> methods) {
    return new Point(layer, tag(tag), ADVICE + advice, types, methods);
  }

  private static ElementMatcher.Junction<TypeDescription> declaring(
      ElementMatcher.Junction<MethodDescription> methods) {
    return declaresMethod(methods.and(not(isAbstract())).and(not(isStatic())));
  }

  private static ElementMatcher.Junction<MethodDescription> publicOneOf(String... names) {
    return ElementMatchers.<MethodDescription>isPublic().and(namedOneOf(names));
  }

  private static Field tag(String name) {
    try {
      return Layers.class.getField(name);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }
}

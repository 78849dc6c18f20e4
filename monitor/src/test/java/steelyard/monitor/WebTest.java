package steelyard.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jws.WebMethod;
import jakarta.jws.WebService;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.xml.ws.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ValveBase;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import steelyard.monitor.Records.Request;
import steelyard.monitor.jaxws.MonitorHandler;
import steelyard.monitor.servlet.MonitorFilter;

@Timeout(60)
class WebTest {

  @TempDir Path folder;
  @TempDir Path base;

  @BeforeEach
  void start() {
    Monitor.start(folder);
  }

  @AfterEach
  void stop() {
    Monitor.stop();
  }

  @Test
  void aServletsRequestIsOneRecordAndADelayIsPlantedWhereAsked() throws Exception {
    Tomcat tomcat = tomcat(new Served());
    try {
      assertThat(get(tomcat, "/", "").statusCode()).isEqualTo(200);
      assertThat(get(tomcat, "/", "si 5000").statusCode()).isEqualTo(200);
      assertThat(get(tomcat, "/", "si -1").statusCode()).isEqualTo(400);
      assertThat(get(tomcat, "/", "si 99999999999").statusCode()).isEqualTo(400);
    } finally {
      tomcat.stop();
    }

    List<Request> all = recorded();
    assertThat(all).hasSize(2).allMatch(each -> each.violations() == 0);
    assertThat(all).extracting(each -> each.contexts().get("filter_method")).containsOnly("GET");
    assertThat(all)
        .extracting(each -> each.layers().get("si").self() >= 5_000_000)
        .contains(true, false);
  }

  @Test
  void whatTomcatDoesBeforeTheFirstFilterIsOfTheOutermostLayer() throws Exception {
    Tomcat tomcat = tomcat(new Served());
    tomcat.getHost().getPipeline().addValve(new Slow());
    try {
      assertThat(get(tomcat, "/", "").statusCode()).isEqualTo(200);
    } finally {
      tomcat.stop();
    }

    Request only = recorded().get(0);
    assertThat(only.layers().get("filter").self()).isGreaterThan(Slow.MILLISECONDS * 1_000_000);
    assertThat(only.layers().get("si").first()).isGreaterThan(Slow.MILLISECONDS * 1_000_000);
    assertThat(only.selfSum()).isEqualTo(only.layers().get("filter").total());
  }

  @Test
  void aRequestThatGoesOnAsynchronouslyIsAViolation() throws Exception {
    Tomcat tomcat = tomcat(new Served());
    try {
      assertThat(get(tomcat, "/later", "").statusCode()).isEqualTo(200);
    } finally {
      tomcat.stop();
    }

    assertThat(recorded()).extracting(Request::violations).contains(Crossings.LEFT_THREAD);
  }

  @Test
  void aSoapMessageIsALayerWhetherItIsAnsweredOrAFault() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String address = "http://127.0.0.1:" + port + "/echo";
    Endpoint endpoint = Endpoint.create(new Echo());
    endpoint.getBinding().setHandlerChain(List.of(new MonitorHandler()));
    endpoint.publish(address);
    try {
      assertThat(soap(address, "hello").body()).contains("hello");
      assertThat(soap(address, "fault").statusCode()).isEqualTo(500);
    } finally {
      endpoint.stop();
    }

    List<Request> all = recorded();
    assertThat(all).hasSize(2).allMatch(each -> each.violations() == 0);
    assertThat(all).allMatch(each -> each.layers().keySet().equals(java.util.Set.of("soap", "ws")));
    assertThat(all)
        .allMatch(each -> each.layers().get("soap").total() > each.layers().get("ws").total());
    assertThat(all).extracting(each -> each.contexts().get("soap_fault")).contains(null, "true");
  }

  private List<Request> recorded() throws IOException {
    Monitor.stop();
    return Records.in(folder);
  }

  private Tomcat tomcat(HttpServlet servlet) throws LifecycleException {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(base.toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", base.toString());
    FilterDef filter = new FilterDef();
    filter.setFilterName("monitor");
    filter.setFilter(new MonitorFilter());
    filter.setAsyncSupported("true");
    context.addFilterDef(filter);
    FilterMap everywhere = new FilterMap();
    everywhere.setFilterName("monitor");
    everywhere.addURLPattern("/*");
    context.addFilterMap(everywhere);
    Tomcat.addServlet(context, "served", servlet).setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "served");
    tomcat.start();
    return tomcat;
  }

  private static HttpResponse<String> get(Tomcat tomcat, String path, String delay)
      throws Exception {
    URI address = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path);
    HttpRequest.Builder asked = HttpRequest.newBuilder(address);
    if (!delay.isEmpty()) {
      asked.header(MonitorFilter.DELAY, delay);
    }
    return HttpClient.newHttpClient().send(asked.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpResponse<String> soap(String address, String text) throws Exception {
    String body =
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body><echo xmlns='urn:test'>"
            + "<text xmlns=''>"
            + text
            + "</text></echo></e:Body></e:Envelope>";
    HttpRequest asked =
        HttpRequest.newBuilder(URI.create(address))
            .header("Content-Type", "text/xml")
            .header("SOAPAction", "\"\"")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(asked, HttpResponse.BodyHandlers.ofString());
  }

  /** Stands before the application. */
  static class Slow extends ValveBase {
    static final long MILLISECONDS = 30;

    @Override
    public void invoke(
        org.apache.catalina.connector.Request request,
        org.apache.catalina.connector.Response response)
        throws IOException, ServletException {
      try {
        TimeUnit.MILLISECONDS.sleep(MILLISECONDS);
      } catch (InterruptedException e) {
        throw new ServletException(e);
      }
      getNext().invoke(request, response);
    }
  }

  /** Answers at once, or, below /later, from another thread. */
  static class Served extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      Monitor.enter(Layers.SI);
      Monitor.exit(Layers.SI);
      if (request.getRequestURI().equals("/later")) {
        var later = request.startAsync();
        later.start(later::complete);
      }
    }
  }

  /** Says what it was told, but not everything. */
  @WebService(targetNamespace = "urn:test")
  public static class Echo {
    @WebMethod
    public String echo(@jakarta.jws.WebParam(name = "text") String text) throws Exception {
      return Layers.within(
          Layers.WS,
          () -> {
            if (text.equals("fault")) {
              throw new IllegalArgumentException("not that");
            }
            return text;
          });
    }
  }
}

package example.shop;

import com.sun.xml.ws.transport.http.servlet.WSServlet;
import com.sun.xml.ws.transport.http.servlet.WSServletContextListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/**
 * The shop on a Tomcat: {@code ShopServer FOLDER}. It knows nothing of a monitor. It says its port,
 * and ends when its input does.
 */
final class ShopServer {

  private static final String ENDPOINTS =
      "<endpoints xmlns='http://java.sun.com/xml/ns/jax-ws/ri/runtime' version='2.0'>"
          + "<endpoint name='shop' implementation='example.shop.Shop' url-pattern='/shop'/></endpoints>";

  private ShopServer() {}

  public static void main(String[] arguments) throws Exception {
    System.setProperty(OwnLogManager.BEGUN, "yes");
    Logger.getLogger("shop").fine("begins");
    Path folder = Path.of(arguments[0]);
    Files.createDirectories(folder.resolve("WEB-INF"));
    Files.writeString(folder.resolve("WEB-INF/sun-jaxws.xml"), ENDPOINTS);
    Orders.prepare();
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    tomcat.setHostname("127.0.0.1");
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("", folder.toString());
    context.addApplicationListener(WSServletContextListener.class.getName());
    Tomcat.addServlet(context, "shop", new WSServlet());
    context.addServletMappingDecoded("/shop", "shop");
    Tomcat.addServlet(context, "pages", new ShopPages()).setAsyncSupported(true);
    context.addServletMappingDecoded("/pages/*", "pages");
    tomcat.start();
    System.out.println("logging " + System.getProperty(OwnLogManager.MADE));
    System.out.println("port " + tomcat.getConnector().getLocalPort());
    while (System.in.read() >= 0) {}
    tomcat.stop();
    System.exit(0);
  }
}

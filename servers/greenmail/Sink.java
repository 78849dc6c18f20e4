import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpServer;
import jakarta.mail.Message;
import jakarta.mail.internet.MimeMessage;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/**
 * GreenMail as a mail server that takes every mail, keeps it and tells what it has: HOST SMTP_PORT API_PORT. A GET of /mails answers
 * a line a mail: to whom, a tab, and the subject. The product's own interface lists whole mails, user by user.
 */
public class Sink {

  public static void main(String[] arguments) throws Exception {
    String host = arguments[0];
    GreenMail mail = new GreenMail(new ServerSetup(Integer.parseInt(arguments[1]), host, ServerSetup.PROTOCOL_SMTP));
    mail.start();
    HttpServer api = HttpServer.create(new InetSocketAddress(host, Integer.parseInt(arguments[2])), 0);
    api.createContext(
        "/mails",
        exchange -> {
          StringBuilder lines = new StringBuilder();
          try {
            for (MimeMessage one : mail.getReceivedMessages()) {
              lines.append(one.getRecipients(Message.RecipientType.TO)[0]).append('\t').append(oneLine(one.getSubject())).append('\n');
            }
          } catch (jakarta.mail.MessagingException unreadable) {
            lines.append("unreadable\t").append(oneLine(unreadable.getMessage())).append('\n');
          }
          byte[] text = lines.toString().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
          exchange.sendResponseHeaders(200, text.length == 0 ? -1 : text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    api.setExecutor(Executors.newSingleThreadExecutor());
    api.start();
  }

  private static String oneLine(String text) {
    return String.valueOf(text).replaceAll("[\\r\\n\\t]", " ");
  }
}

import com.icegreen.greenmail.imap.ImapHostManager;
import com.icegreen.greenmail.mail.MovingMessage;
import com.icegreen.greenmail.user.GreenMailUser;
import com.icegreen.greenmail.user.UserImpl;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpServer;
import jakarta.mail.Address;
import jakarta.mail.Message;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/**
 * GreenMail as a mail server that takes every mail and lists what came: HOST SMTP_PORT API_PORT. A GET of /mails answers a line a
 * mail: to whom, a tab, and the subject. It keeps these lines, not the mails: a study sends hundreds of thousands.
 */
public class Sink {

  private static final ByteArrayOutputStream LINES = new ByteArrayOutputStream(); // its methods are synchronized

  public static void main(String[] arguments) throws Exception {
    String host = arguments[0];
    GreenMail mail = new GreenMail(new ServerSetup(Integer.parseInt(arguments[1]), host, ServerSetup.PROTOCOL_SMTP));
    GreenMailUser anyone = new Recipient(mail.getUserManager().getImapHostManager());
    mail.getUserManager().setMessageDeliveryHandler((message, address) -> anyone);
    mail.start();
    HttpServer api = HttpServer.create(new InetSocketAddress(host, Integer.parseInt(arguments[2])), 0);
    api.createContext(
        "/mails",
        exchange -> {
          byte[] text = LINES.toByteArray();
          exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
          exchange.sendResponseHeaders(200, text.length == 0 ? -1 : text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    api.setExecutor(Executors.newSingleThreadExecutor());
    api.start();
  }

  /** The recipient of all mails, without a mailbox. */
  private static final class Recipient extends UserImpl {

    Recipient(ImapHostManager mailboxes) {
      super("anyone@mail.invalid", "anyone", "", mailboxes);
    }

    @Override
    public void deliver(MovingMessage message) {
      LINES.writeBytes(line(message).getBytes(StandardCharsets.UTF_8));
    }

    private static String line(MovingMessage message) {
      try {
        MimeMessage mail = message.getMessage();
        Address[] named = mail.getRecipients(Message.RecipientType.TO);
        Object to = named == null ? message.getToAddresses().iterator().next().getEmail() : named[0];
        return oneLine(to.toString()) + "\t" + oneLine(mail.getSubject()) + "\n";
      } catch (jakarta.mail.MessagingException unreadable) {
        return "unreadable\t" + oneLine(unreadable.getMessage()) + "\n";
      }
    }

    private static String oneLine(String text) {
      return String.valueOf(text).replaceAll("[\\r\\n\\t]", " ");
    }
  }
}

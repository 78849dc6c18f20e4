package steelyard.petstore.center;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Date;
import java.util.concurrent.atomic.LongAdder;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.documents.Mail;
import steelyard.petstore.events.EventLog;
import steelyard.petstore.messaging.Workflow;

/** The mailer: sends what the other workflows want said, through SMTP. */
public final class MailWorkflow implements Workflow {

  private static final String FROM = "petstore@example.org";

  private final Documents documents;
  private final Session session;
  private final EventLog events;
  private final LongAdder sent = new LongAdder();
  private final LongAdder completed = new LongAdder();

  public MailWorkflow(Documents documents, Session session, EventLog events) {
    this.documents = documents;
    this.session = session;
    this.events = events;
  }

  @Override
  public void handle(String document, Connection database)
      throws BadDocumentException, SQLException {
    Mail mail = documents.mail(document);
    try {
      MimeMessage message = new MimeMessage(session);
      message.setFrom(new InternetAddress(FROM));
      message.setRecipient(Message.RecipientType.TO, new InternetAddress(mail.to(), true));
      message.setSubject(mail.subject(), "UTF-8");
      message.setText(mail.text(), "UTF-8");
      message.setSentDate(new Date());
      Transport.send(message);
    } catch (jakarta.mail.internet.AddressException bad) {
      throw new BadDocumentException("no mail can go to " + mail.to());
    } catch (MessagingException away) {
      throw new IllegalStateException("the mail server did not take a mail", away);
    }
    if (mail.kind().equals("completed")) {
      events.record(EventLog.COMPLETED_MAIL_SENT, mail.order());
      completed.increment();
    }
    sent.increment();
  }

  /** How many orders customers were told of that they are completed, since it was asked last. */
  public long completed() {
    return completed.sumThenReset();
  }

  /** How many mails the mail server has taken since the start; their events are recorded. */
  public long sent() {
    return sent.sum();
  }
}

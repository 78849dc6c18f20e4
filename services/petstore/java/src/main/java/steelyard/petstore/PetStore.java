package steelyard.petstore;

import jakarta.mail.Session;
import java.io.Closeable;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;
import steelyard.petstore.center.InvoiceWorkflow;
import steelyard.petstore.center.MailInvoiceWorkflow;
import steelyard.petstore.center.MailWorkflow;
import steelyard.petstore.center.Mails;
import steelyard.petstore.center.OrderApprovalWorkflow;
import steelyard.petstore.center.Orders;
import steelyard.petstore.center.PurchaseOrderWorkflow;
import steelyard.petstore.documents.Documents;
import steelyard.petstore.events.Collections;
import steelyard.petstore.events.EventLog;
import steelyard.petstore.events.QueueLengths;
import steelyard.petstore.faults.PlantedFaults;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.Messenger;
import steelyard.petstore.messaging.Partners;
import steelyard.petstore.messaging.QueueingReception;
import steelyard.petstore.messaging.Receiver;
import steelyard.petstore.messaging.Reception;
import steelyard.petstore.messaging.Step;
import steelyard.petstore.messaging.Transactions;
import steelyard.petstore.messaging.TransitionDelegate;
import steelyard.petstore.messaging.Workflow;
import steelyard.petstore.outbox.IdempotentReception;
import steelyard.petstore.outbox.Outbox;
import steelyard.petstore.outbox.Relay;
import steelyard.petstore.shop.Catalog;
import steelyard.petstore.shop.CheckOut;
import steelyard.petstore.supplier.Inventory;
import steelyard.petstore.supplier.SupplierOrderWorkflow;

/** The four parts, put together; how messages and transactions come about is the platform's own. */
public final class PetStore implements AutoCloseable {

  private final Settings settings;
  private final DataSource database;
  private final Documents documents = new Documents();
  private final Orders orders = new Orders();
  private final Inventory inventory = new Inventory();
  private final PlantedFaults faults = new PlantedFaults();
  private final EventLog events;
  private final Messenger inTransaction;
  private final Messenger outside;
  private final Transactions transactions;
  private final Optional<Relay> relay;
  private final Map<Receiver, Step> steps = new EnumMap<>(Receiver.class);
  private final CheckOut checkOut;
  private final MailWorkflow mailer;
  private final Deque<Closeable> open = new ArrayDeque<>(); // what ends first comes first
  private final ReentrantLock preparing = new ReentrantLock();
  private volatile boolean prepared;

  /**
   * `inTransaction` sends as a part of the transaction that a step runs in, `outside` at once;
   * connections of `database` take part in that transaction, too. `lengthOf` says how many messages
   * stand at a destination.
   */
  public PetStore(
      Settings settings,
      DataSource database,
      Transactions transactions,
      Messenger inTransaction,
      Messenger outside,
      Partners partners,
      ToLongFunction<Destination> lengthOf) {
    this.settings = settings;
    this.database = database;
    this.transactions = transactions;
    this.inTransaction = inTransaction;
    this.outside = outside;
    events = EventLog.to(settings.eventsFile());
    open.push(events);
    open.push(new Collections(events)::close);
    boolean relayed = settings.variant() == Settings.Variant.OUTBOX;
    Outbox outbox = new Outbox(database);
    relay = relayed ? Optional.of(relay(outbox, partners)) : Optional.empty();
    relay.ifPresent(running -> open.push(running::close));
    Messenger ofStep = relayed ? outbox : inTransaction;
    TransitionDelegate toSupplier =
        switch (settings.variant()) {
          case JMS_ORIGINAL, OUTBOX -> to(ofStep, Destination.SUPPLIER_ORDERS);
          case JMS_MODIFIED -> to(outside, Destination.SUPPLIER_ORDERS);
          case WEB_SERVICE, WS_AT -> document -> partners.submitOrder(null, document);
        };
    TransitionDelegate toCenter =
        switch (settings.variant()) {
          case JMS_ORIGINAL, OUTBOX -> to(ofStep, Destination.INVOICES);
          case JMS_MODIFIED -> to(outside, Destination.INVOICES);
          case WEB_SERVICE, WS_AT -> document -> partners.submitInvoice(null, document);
        };
    Mails mails = new Mails(documents, to(ofStep, Destination.MAILS));
    TransitionDelegate toApproval = to(ofStep, Destination.ORDER_APPROVALS);
    step(Receiver.PURCHASE_ORDER, new PurchaseOrderWorkflow(documents, orders, toApproval));
    step(
        Receiver.ORDER_APPROVAL,
        new OrderApprovalWorkflow(documents, orders, mails, toSupplier, events));
    step(
        Receiver.SUPPLIER_ORDER, new SupplierOrderWorkflow(documents, inventory, toCenter, events));
    step(Receiver.INVOICE, new InvoiceWorkflow(documents, orders, mails));
    step(Receiver.MAIL_INVOICE, new MailInvoiceWorkflow(documents, orders, mails));
    mailer = new MailWorkflow(documents, mailSession(settings), events);
    step(Receiver.MAIL, mailer);
    checkOut = new CheckOut(documents, to(outside, Destination.PURCHASE_ORDERS), events);
    open.push(
        QueueLengths.to(
            settings.brokerIsElsewhere() ? "" : settings.gaugesFile(),
            relayed
                ? destination -> outbox.length(destination) + lengthOf.applyAsLong(destination)
                : lengthOf,
            this::counted));
  }

  /** What happened since the last look, by name. */
  private Map<String, Long> counted() {
    Map<String, Long> counted = new TreeMap<>(transactions.gauges());
    counted.put("orders_completed", mailer.completed());
    return counted;
  }

  private void step(Receiver receiver, Workflow workflow) {
    long delayMillis = settings.commitDelayMillis();
    steps.put(receiver, new Step(receiver, workflow, database, outside, faults, delayMillis));
  }

  /**
   * Sends by web service what goes to a partner, and by queue what stays within the center; only
   * what is written by the parts that this server holds.
   */
  private Relay relay(Outbox outbox, Partners partners) {
    Map<Destination, Relay.Sending> ways = new EnumMap<>(Destination.class);
    if (settings.part().holds(Part.SUPPLIER)) {
      ways.put(Destination.INVOICES, partners::submitInvoice);
    }
    if (settings.part().holds(Part.CENTER)) {
      ways.put(Destination.SUPPLIER_ORDERS, partners::submitOrder);
      for (Destination own : List.of(Destination.ORDER_APPROVALS, Destination.MAILS)) {
        ways.put(own, (id, document) -> outside.send(own, document));
      }
    }
    ways.replaceAll(
        (destination, way) ->
            (id, document) -> {
              way.send(id, document);
              faults.afterCall("relay to " + destination, document);
            });
    return new Relay(outbox, transactions, ways);
  }

  private static TransitionDelegate to(Messenger messenger, Destination destination) {
    return document -> messenger.send(destination, document);
  }

  private static Session mailSession(Settings settings) {
    Properties properties = new Properties();
    properties.put("mail.transport.protocol", "smtp");
    properties.put("mail.smtp.host", settings.host());
    properties.put("mail.smtp.port", Integer.toString(settings.mailPort()));
    properties.put("mail.smtp.localhost", "localhost"); // else each session looks its own name up
    properties.put("mail.smtp.connectiontimeout", "5000");
    properties.put("mail.smtp.timeout", "10000");
    return Session.getInstance(properties);
  }

  /**
   * Makes the starting state once, before anything else is asked of the database; where that is
   * away, the next who comes tries again, one at a time. Raises SQLException.
   */
  public void prepare() throws SQLException {
    if (prepared || !preparing.tryLock()) {
      return; // who comes meanwhile finds out about the database by themselves
    }
    try {
      StartingState.require(database);
      prepared = true;
    } finally {
      preparing.unlock();
    }
  }

  /**
   * Does the step of a message that came to a receiver. A failure is raised, so that the message
   * comes again; what was done by then is undone, or where its transaction is over, known again.
   */
  public void receive(Receiver receiver, String document) {
    Runnable step = () -> steps.get(receiver).receive(document);
    if (relay.isPresent()) {
      relay.get().committedAtLast(step);
      faults.atCommit(receiver.name(), document);
      return;
    }
    transactions.ofStep(step);
    if (faults.due(PlantedFaults.Place.AT_COMMIT, receiver.name(), document)) {
      transactions.failCommitOfStep();
    }
  }

  /** Ends the relay and the records; the platform calls it when it stops. */
  @Override
  public void close() throws IOException {
    for (Closeable each : open) {
      each.close();
    }
  }

  public Settings settings() {
    return settings;
  }

  public Reception reception() {
    if (relay.isEmpty()) {
      boolean spanned = settings.variant() == Settings.Variant.WS_AT;
      return new QueueingReception(documents, spanned ? inTransaction : outside);
    }
    IdempotentReception.Work work = (receiver, document) -> steps.get(receiver).receive(document);
    return new IdempotentReception(documents, database, relay.get(), work, faults);
  }

  public PlantedFaults faults() {
    return faults;
  }

  public Catalog catalog() {
    return new Catalog(database);
  }

  public CheckOut checkOut() {
    return checkOut;
  }

  public MailWorkflow mailer() {
    return mailer;
  }

  public Orders orders() {
    return orders;
  }

  public Inventory inventory() {
    return inventory;
  }

  public Documents documents() {
    return documents;
  }

  public DataSource database() {
    return database;
  }

  public Messenger outside() {
    return outside;
  }
}

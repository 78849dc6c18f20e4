package steelyard.petstore.springws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jms.connection.CachingConnectionFactory;
import steelyard.petstore.PetStore;
import steelyard.petstore.Settings;
import steelyard.petstore.center.Orders;
import steelyard.petstore.documents.Address;
import steelyard.petstore.documents.BadDocumentException;
import steelyard.petstore.documents.Invoice;
import steelyard.petstore.documents.OrderApproval;
import steelyard.petstore.documents.OrderLine;
import steelyard.petstore.documents.PurchaseOrder;
import steelyard.petstore.documents.SupplierOrder;
import steelyard.petstore.faults.PlantedFaults;
import steelyard.petstore.messaging.Destination;
import steelyard.petstore.messaging.JmsMessenger;
import steelyard.petstore.messaging.MessagingException;
import steelyard.petstore.messaging.Messenger;
import steelyard.petstore.messaging.Partners;
import steelyard.petstore.messaging.Reception;
import steelyard.petstore.messaging.Transactions;

/**
 * Orders on their way through all workflows, with a real broker, database and mail server in one
 * process.
 */
class OrderTest {

  private static final long SECONDS = 60;

  @TempDir Path folder;

  private final List<AutoCloseable> open = new ArrayList<>();
  private GreenMail mail;
  private PetStore store;
  private EmbeddedQueues queues;
  private List<String> subscribedAtStart;
  private Path events;
  private Path gauges;

  @AfterEach
  void close() throws Exception {
    for (int place = open.size() - 1; place >= 0; place--) {
      open.get(place).close();
    }
  }

  /** The web services' other ends, without the network between. */
  private final Partners partners =
      new Partners() {
        @Override
        public void submitOrder(String messageId, String document) {
          accept(() -> store.reception().order(messageId, document));
        }

        @Override
        public void submitInvoice(String messageId, String document) {
          accept(() -> store.reception().invoice(messageId, document));
        }

        private void accept(Callable<String> end) {
          try {
            assertThat(end.call()).isNotBlank();
          } catch (Exception refused) {
            throw new IllegalStateException(refused);
          }
        }
      };

  private void openWith(String variant, long commitDelayMillis) throws Exception {
    openWith(variant, LocalConfiguration.class, commitDelayMillis);
  }

  private void openWith(String variant, Class<?> transactions, long commitDelayMillis)
      throws Exception {
    mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    mail.start();
    open.add(mail::stop);
    Server books =
        Server.createTcpServer(
                "-tcpPort", "0", "-ifNotExists", "-baseDir", folder.resolve("books").toString())
            .start();
    open.add(books::stop);
    events = folder.resolve("events.csv");
    gauges = folder.resolve("gauges.csv");
    Settings settings =
        Settings.of(
            Map.of(
                "STEELYARD_VARIANT",
                variant,
                "STEELYARD_PORT_SERVER",
                "1",
                "STEELYARD_PORT_DATABASE",
                Integer.toString(books.getPort()),
                "STEELYARD_PORT_MAIL",
                Integer.toString(mail.getSmtp().getPort()),
                "STEELYARD_COMMIT_DELAY_MS",
                Long.toString(commitDelayMillis),
                "STEELYARD_EVENTS",
                events.toString(),
                "STEELYARD_GAUGES",
                gauges.toString()));
    System.setProperty("catalina.base", folder.toString());
    var context = new AnnotationConfigApplicationContext();
    open.add(context);
    context.registerBean(Settings.class, () -> settings);
    context.registerBean(PetStore.class, () -> storeOf(settings, context));
    context.register(MessagingConfiguration.class, transactions);
    context.refresh();
    subscribedAtStart =
        subscribersOf(Destination.INVOICES, context.getBean(EmbeddedActiveMQ.class));
    store = context.getBean(PetStore.class);
    queues = context.getBean(EmbeddedQueues.class);
    store.prepare();
  }

  private static List<String> subscribersOf(Destination topic, EmbeddedActiveMQ broker)
      throws Exception {
    if (!broker.getActiveMQServer().isStarted()) {
      return List.of();
    }
    return broker
        .getActiveMQServer()
        .getPostOffice()
        .listQueuesForAddress(SimpleString.of(topic.address()))
        .stream()
        .map(queue -> queue.getName().toString())
        .toList();
  }

  private PetStore storeOf(Settings settings, ApplicationContext platform) {
    var outside = new CachingConnectionFactory(platform.getBean("broker", ConnectionFactory.class));
    open.add(outside::destroy);
    return new PetStore(
        settings,
        platform.getBean("database", DataSource.class),
        platform.getBean(Transactions.class),
        platform.getBean(Messenger.class),
        new JmsMessenger(outside),
        partners,
        platform.getBean(EmbeddedQueues.class));
  }

  private void place(String id, String item, int quantity, int cents) {
    store.outside().send(Destination.PURCHASE_ORDERS, order(id, item, quantity, cents));
  }

  private String order(String id, String item, int quantity, int cents) {
    Address address = new Address("Ada <&> Åse", "1 Long Lane", "Market Town", "Neverland");
    return store
        .documents()
        .text(
            new PurchaseOrder(
                id,
                "shopper-01",
                "shopper-01@example.org",
                "2003-06-01T12:00:00Z",
                address,
                List.of(new OrderLine(item, quantity, cents))));
  }

  private String statusOf(String id) throws Exception {
    try (Connection database = store.database().getConnection()) {
      return store.orders().find(id, database).map(Orders.Known::status).orElse("none");
    }
  }

  private List<String> subjects() {
    List<String> found = new ArrayList<>();
    try {
      for (var one : mail.getReceivedMessages()) {
        found.add(one.getSubject());
      }
    } catch (jakarta.mail.MessagingException unreadable) {
      throw new IllegalStateException(unreadable);
    }
    found.sort(null);
    return found;
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + SECONDS * 1_000_000_000;
    while (!condition.call()) {
      assertThat(System.nanoTime()).as("it is not so in time").isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  /** The instants of an order's events in ns, by name. */
  private Map<String, Long> eventsOf(String id) throws Exception {
    Map<String, Long> found = new HashMap<>();
    for (String line : Files.readAllLines(events)) {
      String[] words = line.split(",");
      if (words[1].equals(id)) {
        found.put(words[0], Long.parseLong(words[2]));
      }
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {"jms-original", "jms-modified", "web-service", "outbox"})
  void anOrderIsCompletedWithThreeMails(String variant) throws Exception {
    openWith(variant, 0);
    place("one", "guppy-1", 2, 1850);
    await(() -> subjects().size() >= 3);
    await(() -> statusOf("one").equals(Orders.COMPLETED));
    assertThat(subjects())
        .containsExactly("Order one approved", "Order one completed", "Order one shipped");
    // A mail has come before whoever sent it writes down that it was sent.
    await(() -> eventsOf("one").size() >= 4);
    assertThat(eventsOf("one"))
        .containsOnlyKeys(
            "supplier_call_begun", "supplier_call_ended", "supplier_begun", "completed_mail_sent");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jms-original", "jms-modified", "web-service", "outbox"})
  void aDelayedCommitShowsInTheLatencyOfWhatIsSentWithIt(String variant) throws Exception {
    long delayNanos = 1_500_000_000;
    openWith(variant, delayNanos / 1_000_000);
    // A machine that stands still makes any latency long, so of the others one of a few must be
    // short.
    long latency = latencyOf("late-1");
    if (variant.equals("jms-original") || variant.equals("outbox")) {
      assertThat(latency).isGreaterThanOrEqualTo(delayNanos);
      return;
    }
    for (int order = 2; order <= 5 && latency >= delayNanos; order++) {
      latency = latencyOf("late-" + order);
    }
    assertThat(latency).isLessThan(delayNanos);
  }

  /** Places an order; gives ns from the begin of the center's call to the supplier's start. */
  private long latencyOf(String id) throws Exception {
    place(id, "guppy-1", 1, 1850);
    await(() -> eventsOf(id).containsKey("supplier_call_ended"));
    await(() -> eventsOf(id).containsKey("supplier_begun"));
    Map<String, Long> instants = eventsOf(id);
    return instants.get("supplier_begun") - instants.get("supplier_call_begun");
  }

  private int shipmentsOf(String id) throws Exception {
    try (Connection database = store.database().getConnection();
        var select =
            database.prepareStatement("SELECT shipments FROM supplier_order WHERE id = ?")) {
      select.setString(1, id);
      try (var found = select.executeQuery()) {
        return found.next() ? found.getInt(1) : 0;
      }
    }
  }

  /** Shipped once, and completed with a mail of each kind, some of which may have come again. */
  private void assertCompletedOnce(String id) throws Exception {
    await(() -> statusOf(id).equals(Orders.COMPLETED));
    await(
        () ->
            subjects()
                .containsAll(
                    List.of(
                        "Order " + id + " approved",
                        "Order " + id + " completed",
                        "Order " + id + " shipped")));
    assertThat(shipmentsOf(id)).isOne();
  }

  @Test
  void aMessageThatComesAgainIsAnsweredAsBeforeAndItsWorkIsDoneOnce() throws Exception {
    openWith("outbox", 0);
    String document = order("again", "guppy-1", 1, 1850);
    String wanted =
        store
            .documents()
            .text(
                new SupplierOrder(
                    "again",
                    store.documents().purchaseOrder(document).address(),
                    List.of(new OrderLine("guppy-1", 1, 1850))));
    Reception supplier = store.reception();
    List<CompletableFuture<String>> together = new ArrayList<>();
    for (int time = 0; time < 8; time++) {
      together.add(CompletableFuture.supplyAsync(() -> answered(supplier, wanted)));
    }
    List<String> answers = together.stream().map(CompletableFuture::join).toList();
    assertThat(answers).contains("again").isSubsetOf("again", "refused");
    assertThat(supplier.order("message-1", wanted)).isEqualTo("again");
    assertThat(shipmentsOf("again")).isOne();
    try (Connection database = store.database().getConnection()) {
      assertThat(store.inventory().stock(database)).containsEntry("guppy-1", 99_999_999);
    }
  }

  /** What is refused while another works on the same is sent again by whoever sent it. */
  private static String answered(Reception supplier, String wanted) {
    try {
      return supplier.order("message-1", wanted);
    } catch (BadDocumentException | RuntimeException busy) {
      return "refused";
    }
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "a b"})
  void aMessageThatCouldNotBeKnownAgainIsRefused(String messageId) throws Exception {
    openWith("outbox", 0);
    String invoice =
        store
            .documents()
            .text(new Invoice("x", "2003-06-01T12:00:00Z", List.of(new OrderLine("a-1", 1, 1))));
    assertThatExceptionOfType(BadDocumentException.class)
        .isThrownBy(() -> store.reception().invoice(messageId, invoice))
        .withMessageContaining("without a messageId");
  }

  /** Every step fails once, before its commit or after it, and every answer is lost once. */
  @ParameterizedTest
  @EnumSource
  void whatFailsOnceIsNeitherLostNorDoubledWithAnOutbox(PlantedFaults.Place place)
      throws Exception {
    openWith("outbox", 0);
    store.faults().plant(place, new PlantedFaults.Plan(100, 1, ""));
    for (int order = 0; order < 5; order++) {
      place("order-" + order, "guppy-1", 1, 1850);
    }
    for (int order = 0; order < 5; order++) {
      assertCompletedOnce("order-" + order);
    }
    try (Connection database = store.database().getConnection()) {
      assertThat(store.inventory().stock(database)).containsEntry("guppy-1", 99_999_995);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jms-original", "jms-modified", "web-service", "outbox"})
  void anOrderIsCompletedWithThreeMailsByATransactionManagerToo(String variant) throws Exception {
    openWith(variant, JtaConfiguration.class, 0);
    place("one", "guppy-1", 2, 1850);
    await(() -> subjects().size() >= 3);
    assertCompletedOnce("one");
    assertThat(subjects())
        .containsExactly("Order one approved", "Order one completed", "Order one shipped");
  }

  /** Each step's commit is refused once, when database and broker have prepared theirs. */
  @ParameterizedTest
  @EnumSource
  void whatFailsOnceIsNeitherLostNorDoubledWithATransactionManager(PlantedFaults.Place place)
      throws Exception {
    openWith("jms-original", JtaConfiguration.class, 0);
    store.faults().plant(place, new PlantedFaults.Plan(100, 1, ""));
    for (int order = 0; order < 5; order++) {
      place("order-" + order, "guppy-1", 1, 1850);
    }
    for (int order = 0; order < 5; order++) {
      assertCompletedOnce("order-" + order);
    }
    try (Connection database = store.database().getConnection()) {
      assertThat(store.inventory().stock(database)).containsEntry("guppy-1", 99_999_995);
    }
  }

  /** What all steps do before their commit, the original messages undo together with them. */
  @Test
  void aFaultBeforeTheCommitUndoesMessagesThatAreSentWithIt() throws Exception {
    openWith("jms-original", 0);
    store.faults().plant(PlantedFaults.Place.AFTER_CALL, new PlantedFaults.Plan(100, 1, ""));
    place("undone", "guppy-1", 1, 1850);
    assertCompletedOnce("undone");
  }

  /** No transaction joins database and broker here, so between their commits an order gets lost. */
  @Test
  void aFaultBetweenTheCommitsOfDatabaseAndBrokerLosesAnOrderWithoutAnOutbox() throws Exception {
    openWith("jms-original", 0);
    store.faults().plant(PlantedFaults.Place.AT_COMMIT, new PlantedFaults.Plan(100, 1, ""));
    place("lost", "guppy-1", 1, 1850);
    await(() -> statusOf("lost").equals(Orders.PENDING));
    // Its message is gone when it came again: the step was struck by then.
    await(() -> queues.applyAsLong(Destination.PURCHASE_ORDERS) == 0);
    store.faults().plant(PlantedFaults.Place.AT_COMMIT, new PlantedFaults.Plan(0, 1, ""));
    place("kept", "guppy-1", 1, 1850);
    assertCompletedOnce("kept");
    assertThat(statusOf("lost")).isEqualTo(Orders.PENDING);
  }

  @Test
  void aPlantedFaultMeetsAShareOfTheStepsAndEachOnce() {
    PlantedFaults faults = new PlantedFaults();
    assertThat(faults.due(PlantedFaults.Place.AT_COMMIT, "step", "none is planted")).isFalse();
    faults.plant(PlantedFaults.Place.AT_COMMIT, new PlantedFaults.Plan(25, 1, ""));
    List<String> struck =
        IntStream.range(0, 1_000)
            .mapToObj(number -> "document " + number)
            .filter(document -> faults.due(PlantedFaults.Place.AT_COMMIT, "step", document))
            .toList();
    assertThat(struck).hasSizeBetween(150, 350);
    assertThat(struck)
        .noneMatch(document -> faults.due(PlantedFaults.Place.AT_COMMIT, "step", document));
    assertThat(struck)
        .noneMatch(document -> faults.due(PlantedFaults.Place.AFTER_CALL, "step", document));
  }

  @Test
  void aPlantedFaultMeetsOneStepAsOftenAsItIsPlanted() {
    PlantedFaults faults = new PlantedFaults();
    PlantedFaults.Place place = PlantedFaults.Place.AFTER_CALL;
    faults.plant(place, new PlantedFaults.Plan(100, 2, "MAIL"));
    assertThat(faults.due(place, "INVOICE", "a document")).isFalse();
    assertThat(faults.due(place, "MAIL", "a document")).isTrue();
    assertThat(faults.due(place, "MAIL", "a document")).isTrue();
    assertThat(faults.due(place, "MAIL", "a document")).isFalse();
    assertThat(faults.due(place, "MAIL", "another document")).isTrue();
  }

  /** A message that waits for its step's commit stands in its queue, and is seen there. */
  @ParameterizedTest
  @ValueSource(strings = {"jms-original", "outbox"})
  void theLengthsOfQueuesAreSampledWhileOrdersAreUnderWay(String variant) throws Exception {
    openWith(variant, 1_500);
    place("slow", "guppy-1", 1, 1850);
    await(() -> subjects().size() >= 3);
    List<String> lines = Files.readAllLines(gauges);
    assertThat(lines.get(0)).isEqualTo("name,value,time_ns");
    assertThat(lines).anyMatch(line -> line.matches("queue_longest,[12],.*"));
    assertThat(lines).anyMatch(line -> line.matches("queue_mails,[12],.*"));
    assertThat(lines).noneMatch(line -> line.startsWith("queue_refused,") && !line.contains(",0,"));
  }

  @Test
  void whereTheBrokerCannotStartNothingIsOrderedAndTheCatalogIsOpen() throws Exception {
    Files.writeString(folder.resolve("broker"), "no folder, so no journal can be in it");
    openWith("jms-original", 0);
    assertThatExceptionOfType(MessagingException.class)
        .isThrownBy(() -> place("nowhere", "guppy-1", 1, 1850));
    assertThat(store.catalog().categories()).hasSize(5);
    assertThat(statusOf("nowhere")).isEqualTo("none");
  }

  @Test
  void anOrderWaitsForStockAndIsCompletedOnceThatIsThere() throws Exception {
    openWith("jms-original", 0);
    place("waits", "tortoise-2", 1, 4200);
    await(
        () -> {
          try (Connection database = store.database().getConnection()) {
            return store.inventory().waiting(database).size() == 1;
          }
        });
    assertThat(statusOf("waits")).isEqualTo(Orders.APPROVED);
    List<String> waiting;
    try (Connection database = store.database().getConnection()) {
      assertThat(store.inventory().add("tortoise-2", 1, database)).isTrue();
      waiting = store.inventory().waiting(database);
    }
    waiting.forEach(document -> store.outside().send(Destination.SUPPLIER_ORDERS, document));
    await(() -> subjects().size() >= 3);
    await(() -> statusOf("waits").equals(Orders.COMPLETED));
    try (Connection database = store.database().getConnection()) {
      assertThat(store.inventory().stock(database)).containsEntry("tortoise-2", 0);
    }
  }

  @Test
  void aDearOrderWaitsForAPersonWhoMayDenyIt() throws Exception {
    openWith("jms-original", 0);
    place("dear", "parrot-3", 1, 60_000);
    await(() -> statusOf("dear").equals(Orders.PENDING));
    store
        .outside()
        .send(
            Destination.ORDER_APPROVALS, store.documents().text(new OrderApproval("dear", false)));
    await(() -> subjects().size() >= 1);
    assertThat(statusOf("dear")).isEqualTo(Orders.DENIED);
    assertThat(subjects()).containsExactly("Order dear denied");
  }

  /** An invoice that nobody is subscribed to is lost, and its order waits for ever. */
  @Test
  void bothReceiversOfInvoicesAreSubscribedBeforeTheFirstMessageIsReceived() throws Exception {
    openWith("jms-original", 0);
    assertThat(subscribedAtStart).containsExactlyInAnyOrder("INVOICE", "MAIL_INVOICE");
  }

  /** As after a crash between the commits of the broker and of the database. */
  @Test
  void anApprovalThatIsHereBeforeItsOrderWaitsForIt() throws Exception {
    openWith("jms-original", 0);
    String approval = store.documents().text(new OrderApproval("early", true));
    store.outside().send(Destination.ORDER_APPROVALS, approval);
    place("other", "guppy-1", 1, 1850);
    assertCompletedOnce("other");
    place("early", "parrot-3", 1, 60_000);
    assertCompletedOnce("early");
  }

  @Test
  void aMessageThatComesTwiceIsDoneOnce() throws Exception {
    openWith("jms-original", 0);
    String document = order("twice", "guppy-1", 1, 1850);
    store.outside().send(Destination.PURCHASE_ORDERS, document);
    store.outside().send(Destination.PURCHASE_ORDERS, document);
    place("after", "guppy-1", 1, 1850);
    await(() -> subjects().size() >= 6);
    assertThat(subjects()).hasSize(6).doesNotHaveDuplicates();
  }

  @Test
  void aDocumentThatBreaksItsSchemaIsSetAsideAndHoldsNothingUp() throws Exception {
    openWith("jms-original", 0);
    store.outside().send(Destination.PURCHASE_ORDERS, "<purchaseOrder/>");
    store.outside().send(Destination.MAILS, "no document at all");
    place("good", "guppy-1", 1, 1850);
    await(() -> subjects().size() >= 3);
    await(() -> statusOf("good").equals(Orders.COMPLETED));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<order/>",
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><purchaseOrder id='x'>&e;</purchaseOrder>",
        "<purchaseOrder xmlns='urn:steelyard:petstore' id='a b'/>",
        "<invoice xmlns='urn:steelyard:petstore' id='a'/>"
      })
  void aBadDocumentIsRefusedInASentence(String text) throws Exception {
    openWith("jms-original", 0);
    try {
      store.documents().purchaseOrder(text);
    } catch (BadDocumentException refused) {
      assertThat(refused.getMessage()).isNotBlank().doesNotContain("Exception", "\n");
      return;
    }
    throw new AssertionError("it was taken: " + text);
  }
}

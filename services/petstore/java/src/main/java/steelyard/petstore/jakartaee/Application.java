package steelyard.petstore.jakartaee;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.EJB;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSDestinationDefinition;
import java.io.IOException;
import java.sql.SQLException;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import steelyard.petstore.PetStore;
import steelyard.petstore.Settings;
import steelyard.petstore.messaging.JmsMessenger;
import steelyard.petstore.messaging.Transactions;

/** The store on a Jakarta EE server: its destinations, and what joins the server's transactions. */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@JMSDestinationDefinition(
    name = "java:app/jms/PurchaseOrders",
    interfaceName = "jakarta.jms.Queue",
    destinationName = "PurchaseOrders")
@JMSDestinationDefinition(
    name = "java:app/jms/OrderApprovals",
    interfaceName = "jakarta.jms.Queue",
    destinationName = "OrderApprovals")
@JMSDestinationDefinition(
    name = "java:app/jms/SupplierOrders",
    interfaceName = "jakarta.jms.Queue",
    destinationName = "SupplierOrders")
@JMSDestinationDefinition(
    name = "java:app/jms/Invoices",
    interfaceName = "jakarta.jms.Topic",
    destinationName = "Invoices")
@JMSDestinationDefinition(
    name = "java:app/jms/Mails",
    interfaceName = "jakarta.jms.Queue",
    destinationName = "Mails")
@JMSDestinationDefinition(
    name = "java:app/jms/Refused",
    interfaceName = "jakarta.jms.Queue",
    destinationName = "Refused")
public class Application {

  private static final Logger LOG = Logger.getLogger(Application.class.getName());

  // By their names on WildFly; elsewhere the server's own file says which they are
  // (ibm-ejb-jar-bnd.xml).
  @Resource(name = "jdbc/petstore", lookup = "java:jboss/datasources/petstore")
  private DataSource database;

  @Resource(name = "jms/inTransaction", lookup = "java:/JmsXA")
  private ConnectionFactory inTransaction;

  @Resource(name = "jms/outside", lookup = "java:/ConnectionFactory")
  private ConnectionFactory unmanaged;

  @EJB private Transactions transactions;

  private OutsideMessenger outside;
  private PetStore store;

  @PostConstruct
  @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
  void open() {
    Settings settings = Settings.of(System.getenv());
    Container container = Container.here();
    outside = new OutsideMessenger(unmanaged, settings);
    store =
        new PetStore(
            settings,
            database,
            container.transactions(transactions, database, settings),
            new JmsMessenger(inTransaction),
            outside,
            new JaxWsPartners(settings),
            container.lengths());
    try {
      store.prepare();
    } catch (SQLException away) {
      LOG.log(Level.WARNING, "the database is away at the start: {0}", away.getMessage());
    }
  }

  @PreDestroy
  void close() {
    outside.close();
    try {
      store.close();
    } catch (IOException full) {
      LOG.log(Level.WARNING, "the last records cannot be written: {0}", full.getMessage());
    }
  }

  @TransactionAttribute(TransactionAttributeType.SUPPORTS)
  public PetStore store() {
    return store;
  }
}

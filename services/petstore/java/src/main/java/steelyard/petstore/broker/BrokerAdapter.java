package steelyard.petstore.broker;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapterInternalException;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.transaction.xa.XAResource;
import org.apache.activemq.artemis.api.core.client.ActiveMQClient;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMConnectorFactory;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.ra.ActiveMQResourceAdapter;
import steelyard.petstore.Settings;

/** Artemis's resource adapter, which brings the broker along: it stands as long as the adapter. */
public final class BrokerAdapter extends ActiveMQResourceAdapter {

  private static final long serialVersionUID = 1;
  private static final Logger LOG = Logger.getLogger(BrokerAdapter.class.getName());

  private String folder = "broker";
  private transient EmbeddedActiveMQ broker;
  private transient ServerLocator recovering;

  public BrokerAdapter() {
    setConnectorClassName(InVMConnectorFactory.class.getName());
  }

  public String getFolder() {
    return folder;
  }

  /** Where the broker keeps its journal. */
  public void setFolder(String folder) {
    this.folder = folder;
  }

  @Override
  public void start(BootstrapContext context) throws ResourceAdapterInternalException {
    try {
      broker = Broker.in(Path.of(folder), Settings.of(System.getenv()), true);
      broker.start();
    } catch (Exception away) { // as the broker's own signatures say
      throw new ResourceAdapterInternalException("the broker cannot start: " + away, away);
    }
    super.start(context);
  }

  @Override
  public void stop() {
    super.stop();
    if (recovering != null) {
      recovering.close();
    }
    try {
      broker.stop();
    } catch (Exception unclean) { // as the broker's own signature says
      LOG.log(Level.WARNING, "the broker did not stop as it should: {0}", unclean.toString());
    }
  }

  /**
   * A session that tells what the broker has prepared and was not told the end of, whoever listens.
   * The adapter's own answer is none, or the sessions of receivers that are at work: those of a
   * killed process are not.
   */
  @Override
  public XAResource[] getXAResources(ActivationSpec[] receivers) throws ResourceException {
    try {
      if (recovering == null) {
        recovering = ActiveMQClient.createServerLocator(Broker.ADDRESS);
      }
      return new XAResource[] {recovering.createSessionFactory().createXASession()};
    } catch (Exception away) { // as the broker's own signatures say
      throw new ResourceException("the broker does not tell what is in doubt: " + away, away);
    }
  }
}

package steelyard.petstore.broker;

import org.apache.activemq.artemis.ra.inflow.ActiveMQActivationSpec;

/**
 * A receiver of the adapter's broker: what it looks up is there under the last part of the name.
 */
public final class BrokerActivation extends ActiveMQActivationSpec {

  private static final long serialVersionUID = 1;

  @Override
  public void setDestinationLookup(String name) {
    setDestination(name.substring(name.lastIndexOf('/') + 1));
    setUseJNDI(false);
  }
}

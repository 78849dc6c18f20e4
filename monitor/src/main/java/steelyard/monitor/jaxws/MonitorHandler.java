package steelyard.monitor.jaxws;

import jakarta.xml.ws.handler.LogicalHandler;
import jakarta.xml.ws.handler.LogicalMessageContext;
import jakarta.xml.ws.handler.MessageContext;
import javax.xml.namespace.QName;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;

/**
 * The SOAP layer: from the message that came in to the one that goes out, or to the fault. It looks
 * at no message, so that none is built as a tree for its sake. It should stand first in the handler
 * chain.
 */
public class MonitorHandler implements LogicalHandler<LogicalMessageContext> {

  @Override
  public boolean handleMessage(LogicalMessageContext context) {
    if (Monitor.isOn()) {
      if (Boolean.TRUE.equals(context.get(MessageContext.MESSAGE_OUTBOUND_PROPERTY))) {
        leave();
      } else {
        Monitor.enter(Layers.SOAP);
        Monitor.context(Layers.SOAP, "name", operation(context));
      }
    }
    return true;
  }

  @Override
  public boolean handleFault(LogicalMessageContext context) {
    Monitor.context(Layers.SOAP, "fault", "true");
    leave();
    return true;
  }

  /** The end of an exchange that has no answer, as of a one-way operation. */
  @Override
  public void close(MessageContext context) {
    leave();
  }

  private static void leave() {
    if (Monitor.isWithin(Layers.SOAP)) {
      Monitor.exit(Layers.SOAP);
    }
  }

  private static String operation(MessageContext context) {
    Object operation = context.get(MessageContext.WSDL_OPERATION);
    return operation instanceof QName name ? name.getLocalPart() : "";
  }
}

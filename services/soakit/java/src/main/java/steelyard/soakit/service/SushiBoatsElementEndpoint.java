package steelyard.soakit.service;

import jakarta.xml.soap.SOAPMessage;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;

/** Sushi Boats by the stack's own tree of the message. */
@WebServiceProvider(
    serviceName = "SushiBoatsElement",
    portName = "SushiBoatsElementPort",
    targetNamespace = "urn:steelyard:soakit")
@ServiceMode(Service.Mode.MESSAGE)
public class SushiBoatsElementEndpoint implements Provider<SOAPMessage> {

  @Override
  public SOAPMessage invoke(SOAPMessage message) {
    return Elements.answer(UseCase.SUSHI_BOATS, message);
  }
}

package steelyard.soakit.service;

import jakarta.xml.soap.SOAPMessage;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;

/** The Buffet by the stack's own tree of the message. */
@WebServiceProvider(
    serviceName = "BuffetElement",
    portName = "BuffetElementPort",
    targetNamespace = "urn:steelyard:soakit")
@ServiceMode(Service.Mode.MESSAGE)
public class BuffetElementEndpoint implements Provider<SOAPMessage> {

  @Override
  public SOAPMessage invoke(SOAPMessage message) {
    return Elements.answer(UseCase.BUFFET, message);
  }
}

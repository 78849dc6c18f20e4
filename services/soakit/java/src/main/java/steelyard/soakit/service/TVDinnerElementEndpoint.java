package steelyard.soakit.service;

import jakarta.xml.soap.SOAPMessage;
import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;

/** TV Dinner by the stack's own tree of the message. */
@WebServiceProvider(
    serviceName = "TVDinnerElement",
    portName = "TVDinnerElementPort",
    targetNamespace = "urn:steelyard:soakit")
@ServiceMode(Service.Mode.MESSAGE)
public class TVDinnerElementEndpoint implements Provider<SOAPMessage> {

  @Override
  public SOAPMessage invoke(SOAPMessage message) {
    return Elements.answer(UseCase.TV_DINNER, message);
  }
}

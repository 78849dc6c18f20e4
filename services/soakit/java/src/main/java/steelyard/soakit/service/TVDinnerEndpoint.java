package steelyard.soakit.service;

import jakarta.xml.ws.Provider;
import jakarta.xml.ws.Service;
import jakarta.xml.ws.ServiceMode;
import jakarta.xml.ws.WebServiceProvider;
import javax.xml.transform.Source;

/** TV Dinner where the document is XML of the message, wrapped or bare. */
@WebServiceProvider(
    serviceName = "TVDinner",
    portName = "TVDinnerPort",
    targetNamespace = "urn:steelyard:soakit")
@ServiceMode(Service.Mode.PAYLOAD)
public class TVDinnerEndpoint implements Provider<Source> {

  @Override
  public Source invoke(Source content) {
    if (content == null) {
      throw new BadDocument("the message is empty");
    }
    return Settings.of(UseCase.TV_DINNER).answer(UseCase.TV_DINNER, content);
  }
}

package steelyard.soakit.service;

import javax.xml.transform.Source;
import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;

/** The use cases where the document is XML of the message, in each style. */
@Endpoint
public class DocumentsEndpoint {

  @PayloadRoot(namespace = Names.SERVICE, localPart = "tvDinner")
  @PayloadRoot(namespace = Names.SERVICE, localPart = "tvDinnerRpc")
  @PayloadRoot(namespace = Names.ORDER, localPart = "ProcessPurchaseOrder")
  @ResponsePayload
  public Source tvDinner(@RequestPayload Source content) {
    return Settings.of(UseCase.TV_DINNER).answer(UseCase.TV_DINNER, content);
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "sushiBoats")
  @PayloadRoot(namespace = Names.SERVICE, localPart = "sushiBoatsRpc")
  @PayloadRoot(namespace = Names.NEWS, localPart = "NewsPosting")
  @ResponsePayload
  public Source sushiBoats(@RequestPayload Source content) {
    return Settings.of(UseCase.SUSHI_BOATS).answer(UseCase.SUSHI_BOATS, content);
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "buffet")
  @PayloadRoot(namespace = Names.SERVICE, localPart = "buffetRpc")
  @PayloadRoot(namespace = Names.BUFFET, localPart = "Order")
  @ResponsePayload
  public Source buffet(@RequestPayload Source content) {
    return Settings.of(UseCase.BUFFET).answer(UseCase.BUFFET, content);
  }
}

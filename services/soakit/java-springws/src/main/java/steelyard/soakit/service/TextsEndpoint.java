package steelyard.soakit.service;

import jakarta.xml.bind.JAXBElement;
import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;
import steelyard.soakit.ObjectFactory;
import steelyard.soakit.RpcTextAnswer;
import steelyard.soakit.RpcTextMessage;
import steelyard.soakit.TextAnswer;
import steelyard.soakit.TextMessage;

/** All three use cases where the document is a string of the message, in each style. */
@Endpoint
public class TextsEndpoint {

  private static final ObjectFactory ELEMENTS = new ObjectFactory();

  @PayloadRoot(namespace = Names.SERVICE, localPart = "tvDinnerText")
  @ResponsePayload
  public JAXBElement<TextAnswer> tvDinner(@RequestPayload JAXBElement<TextMessage> message) {
    return ELEMENTS.createTvDinnerTextResponse(wrapped(UseCase.TV_DINNER, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "tvDinnerBareText")
  @ResponsePayload
  public JAXBElement<String> tvDinnerBare(@RequestPayload JAXBElement<String> message) {
    return ELEMENTS.createTvDinnerBareTextResponse(bare(UseCase.TV_DINNER, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "sushiBoatsText")
  @ResponsePayload
  public JAXBElement<TextAnswer> sushiBoats(@RequestPayload JAXBElement<TextMessage> message) {
    return ELEMENTS.createSushiBoatsTextResponse(wrapped(UseCase.SUSHI_BOATS, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "sushiBoatsBareText")
  @ResponsePayload
  public JAXBElement<String> sushiBoatsBare(@RequestPayload JAXBElement<String> message) {
    return ELEMENTS.createSushiBoatsBareTextResponse(bare(UseCase.SUSHI_BOATS, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "buffetText")
  @ResponsePayload
  public JAXBElement<TextAnswer> buffet(@RequestPayload JAXBElement<TextMessage> message) {
    return ELEMENTS.createBuffetTextResponse(wrapped(UseCase.BUFFET, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "buffetBareText")
  @ResponsePayload
  public JAXBElement<String> buffetBare(@RequestPayload JAXBElement<String> message) {
    return ELEMENTS.createBuffetBareTextResponse(bare(UseCase.BUFFET, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "tvDinnerRpcText")
  @ResponsePayload
  public JAXBElement<RpcTextAnswer> tvDinnerRpc(
      @RequestPayload JAXBElement<RpcTextMessage> message) {
    return ELEMENTS.createTvDinnerRpcTextResponse(part(UseCase.TV_DINNER, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "sushiBoatsRpcText")
  @ResponsePayload
  public JAXBElement<RpcTextAnswer> sushiBoatsRpc(
      @RequestPayload JAXBElement<RpcTextMessage> message) {
    return ELEMENTS.createSushiBoatsRpcTextResponse(part(UseCase.SUSHI_BOATS, message));
  }

  @PayloadRoot(namespace = Names.SERVICE, localPart = "buffetRpcText")
  @ResponsePayload
  public JAXBElement<RpcTextAnswer> buffetRpc(@RequestPayload JAXBElement<RpcTextMessage> message) {
    return ELEMENTS.createBuffetRpcTextResponse(part(UseCase.BUFFET, message));
  }

  private static TextAnswer wrapped(UseCase useCase, JAXBElement<TextMessage> message) {
    var answer = new TextAnswer();
    answer.setAnswer(answered(useCase, message.getValue().getText()));
    return answer;
  }

  private static RpcTextAnswer part(UseCase useCase, JAXBElement<RpcTextMessage> message) {
    var answer = new RpcTextAnswer();
    answer.setAnswer(answered(useCase, message.getValue().getText()));
    return answer;
  }

  private static String bare(UseCase useCase, JAXBElement<String> message) {
    return answered(useCase, message.getValue());
  }

  private static String answered(UseCase useCase, String text) {
    return Settings.of(useCase).answer(useCase, Binding.required(text, "text"));
  }
}

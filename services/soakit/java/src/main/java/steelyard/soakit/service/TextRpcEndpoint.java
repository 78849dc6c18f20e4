package steelyard.soakit.service;

import jakarta.jws.WebService;
import steelyard.soakit.TextRpcPortType;

/** All three use cases by rpc/literal, where the document is a string: bound as the stack does. */
@WebService(
    serviceName = "TextRpc",
    portName = "TextRpcPort",
    targetNamespace = "urn:steelyard:soakit",
    endpointInterface = "steelyard.soakit.TextRpcPortType")
public class TextRpcEndpoint implements TextRpcPortType {

  @Override
  public String tvDinnerRpcText(String text) {
    return TextEndpoint.answer(UseCase.TV_DINNER, text);
  }

  @Override
  public String sushiBoatsRpcText(String text) {
    return TextEndpoint.answer(UseCase.SUSHI_BOATS, text);
  }

  @Override
  public String buffetRpcText(String text) {
    return TextEndpoint.answer(UseCase.BUFFET, text);
  }
}

package steelyard.soakit.service;

import jakarta.jws.WebService;
import steelyard.soakit.TextPortType;

/** All three use cases where the document is a string of the message, wrapped or bare. */
@WebService(
    serviceName = "Text",
    portName = "TextPort",
    targetNamespace = "urn:steelyard:soakit",
    endpointInterface = "steelyard.soakit.TextPortType")
public class TextEndpoint implements TextPortType {

  @Override
  public String tvDinnerText(String text) {
    return answer(UseCase.TV_DINNER, text);
  }

  @Override
  public String tvDinnerBareText(String text) {
    return answer(UseCase.TV_DINNER, text);
  }

  @Override
  public String sushiBoatsText(String text) {
    return answer(UseCase.SUSHI_BOATS, text);
  }

  @Override
  public String sushiBoatsBareText(String text) {
    return answer(UseCase.SUSHI_BOATS, text);
  }

  @Override
  public String buffetText(String text) {
    return answer(UseCase.BUFFET, text);
  }

  @Override
  public String buffetBareText(String text) {
    return answer(UseCase.BUFFET, text);
  }

  static String answer(UseCase useCase, String text) {
    if (text == null) {
      throw new BadDocument("the message holds no text");
    }
    return Settings.of(useCase).answer(useCase, text);
  }
}

package steelyard.soaservers;

import jakarta.jws.WebService;
import java.util.List;
import steelyard.soaservers.contract.OrchestrationPortType;
import steelyard.soaservers.contract.Token;

/**
 * Where clients ask: the service of environment 1, the main one of 2, and the orchestration point
 * of 3.
 */
@WebService(
    serviceName = "Orchestration",
    portName = "OrchestrationPort",
    targetNamespace = "urn:steelyard:soaservers",
    endpointInterface = "steelyard.soaservers.contract.OrchestrationPortType")
public class OrchestrationEndpoint implements OrchestrationPortType {

  @Override
  public List<Token> single(String parameter) {
    return Application.answer(Services.SINGLE, parameter);
  }

  @Override
  public List<Token> pair(String first, String second) {
    return Application.answer(Services.MAIN, first, second);
  }

  @Override
  public List<Token> mesh(String parameter) {
    return Application.answer(Services.shared().graph().entry(), parameter);
  }
}

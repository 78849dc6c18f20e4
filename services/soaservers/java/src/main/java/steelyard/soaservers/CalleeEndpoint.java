package steelyard.soaservers;

import java.util.List;
import steelyard.soaservers.contract.CalleePortType;
import steelyard.soaservers.contract.Token;

/** A service that others call, at an address of its own. */
abstract class CalleeEndpoint implements CalleePortType {

  private final String address;

  CalleeEndpoint(String address) {
    this.address = address;
  }

  @Override
  public List<Token> propagate(int depth, List<String> parameter) {
    return Application.answer(address, depth, parameter);
  }
}

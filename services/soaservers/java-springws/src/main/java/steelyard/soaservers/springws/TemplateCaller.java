package steelyard.soaservers.springws;

import java.util.List;
import org.springframework.stereotype.Component;
import org.springframework.ws.client.core.WebServiceTemplate;
import steelyard.soaservers.CallSettings;
import steelyard.soaservers.Caller;
import steelyard.soaservers.Services;
import steelyard.soaservers.contract.Propagate;
import steelyard.soaservers.contract.PropagateResponse;
import steelyard.soaservers.contract.Token;

/** Calls services with one WebServiceTemplate, which is thread-safe, for all of them. */
@Component
public class TemplateCaller implements Caller {

  private final Services services;
  private final CallSettings settings;
  private final WebServiceTemplate template;

  TemplateCaller(Services services, CallSettings settings, WebServiceTemplate template) {
    this.services = services;
    this.settings = settings;
    this.template = template;
  }

  @Override
  public List<Token> propagate(String callee, int depth, List<String> parameters) {
    var request = new Propagate();
    request.setDepth(depth);
    request.getParameter().addAll(parameters);
    String address = settings.base() + services.address(callee);
    return ((PropagateResponse) template.marshalSendAndReceive(address, request)).getToken();
  }
}

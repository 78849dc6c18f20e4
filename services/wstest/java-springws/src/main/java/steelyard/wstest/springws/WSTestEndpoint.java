package steelyard.wstest.springws;

import org.springframework.ws.server.endpoint.annotation.Endpoint;
import org.springframework.ws.server.endpoint.annotation.PayloadRoot;
import org.springframework.ws.server.endpoint.annotation.RequestPayload;
import org.springframework.ws.server.endpoint.annotation.ResponsePayload;
import steelyard.wstest.PurchaseOrders;
import steelyard.wstest.contract.EchoList;
import steelyard.wstest.contract.EchoListResponse;
import steelyard.wstest.contract.EchoStruct;
import steelyard.wstest.contract.EchoStructResponse;
import steelyard.wstest.contract.EchoSynthetic;
import steelyard.wstest.contract.EchoSyntheticResponse;
import steelyard.wstest.contract.EchoVoid;
import steelyard.wstest.contract.EchoVoidResponse;
import steelyard.wstest.contract.GetOrder;
import steelyard.wstest.contract.GetOrderResponse;
import steelyard.wstest.contract.Synthetic;

/**
 * WSTest: gives the arguments back. The payload classes are generated from the contract's schema.
 */
@Endpoint
public class WSTestEndpoint {

  private static final String NAMESPACE = "urn:steelyard:wstest";

  @PayloadRoot(namespace = NAMESPACE, localPart = "echoVoid")
  @ResponsePayload
  public EchoVoidResponse echoVoid(@RequestPayload EchoVoid request) {
    return new EchoVoidResponse();
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "echoStruct")
  @ResponsePayload
  public EchoStructResponse echoStruct(@RequestPayload EchoStruct request) {
    var response = new EchoStructResponse();
    response.getReturn().addAll(request.getStruct());
    return response;
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "echoList")
  @ResponsePayload
  public EchoListResponse echoList(@RequestPayload EchoList request) {
    var response = new EchoListResponse();
    response.setReturn(request.getList());
    return response;
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "echoSynthetic")
  @ResponsePayload
  public EchoSyntheticResponse echoSynthetic(@RequestPayload EchoSynthetic request) {
    var synthetic = new Synthetic();
    synthetic.setText(request.getText());
    synthetic.setStruct(request.getStruct());
    synthetic.setBytes(request.getBytes());
    var response = new EchoSyntheticResponse();
    response.setReturn(synthetic);
    return response;
  }

  @PayloadRoot(namespace = NAMESPACE, localPart = "getOrder")
  @ResponsePayload
  public GetOrderResponse getOrder(@RequestPayload GetOrder request) {
    var response = new GetOrderResponse();
    response.setReturn(PurchaseOrders.order(request.getOrderId()));
    return response;
  }
}

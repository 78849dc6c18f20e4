package steelyard.wstest;

import jakarta.jws.WebService;
import java.util.List;
import steelyard.wstest.contract.ListItem;
import steelyard.wstest.contract.PurchaseOrder;
import steelyard.wstest.contract.Struct;
import steelyard.wstest.contract.Synthetic;
import steelyard.wstest.contract.WSTestPortType;

/**
 * WSTest: gives the arguments back. The interface and its classes are generated from the contract.
 */
@WebService(
    serviceName = "WSTest",
    portName = "WSTestPort",
    targetNamespace = "urn:steelyard:wstest",
    endpointInterface = "steelyard.wstest.contract.WSTestPortType")
public class WSTestEndpoint implements WSTestPortType {

  @Override
  public void echoVoid() {}

  @Override
  public List<Struct> echoStruct(List<Struct> struct) {
    return struct;
  }

  @Override
  public ListItem echoList(ListItem list) {
    return list;
  }

  @Override
  public Synthetic echoSynthetic(String text, Struct struct, byte[] bytes) {
    var synthetic = new Synthetic();
    synthetic.setText(text);
    synthetic.setStruct(struct);
    synthetic.setBytes(bytes);
    return synthetic;
  }

  @Override
  public PurchaseOrder getOrder(int orderId) {
    return PurchaseOrders.order(orderId);
  }
}

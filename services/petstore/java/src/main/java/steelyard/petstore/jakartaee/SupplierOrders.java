package steelyard.petstore.jakartaee;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.xml.ws.RequestWrapper;
import jakarta.xml.ws.ResponseWrapper;

/** Where the supplier takes orders. */
@WebService(name = "SupplierOrders", targetNamespace = "urn:steelyard:petstore")
public interface SupplierOrders {

  /** Gives the order's id. */
  @WebMethod
  @RequestWrapper(
      localName = "submitOrder",
      targetNamespace = "urn:steelyard:petstore",
      className = "steelyard.petstore.jakartaee.Submission")
  @ResponseWrapper(
      localName = "submitOrderResponse",
      targetNamespace = "urn:steelyard:petstore",
      className = "steelyard.petstore.jakartaee.Receipt")
  @WebResult(name = "id", targetNamespace = "urn:steelyard:petstore")
  String submitOrder(
      @WebParam(name = "document", targetNamespace = "urn:steelyard:petstore") String document,
      @WebParam(name = "messageId", targetNamespace = "urn:steelyard:petstore") String messageId);
}

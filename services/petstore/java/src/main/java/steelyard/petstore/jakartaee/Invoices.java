package steelyard.petstore.jakartaee;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebResult;
import jakarta.jws.WebService;
import jakarta.xml.ws.RequestWrapper;
import jakarta.xml.ws.ResponseWrapper;

/** Where the order processing center takes invoices. */
@WebService(name = "Invoices", targetNamespace = "urn:steelyard:petstore")
public interface Invoices {

  /** Gives the order's id. */
  @WebMethod
  @RequestWrapper(
      localName = "submitInvoice",
      targetNamespace = "urn:steelyard:petstore",
      className = "steelyard.petstore.jakartaee.Submission")
  @ResponseWrapper(
      localName = "submitInvoiceResponse",
      targetNamespace = "urn:steelyard:petstore",
      className = "steelyard.petstore.jakartaee.Receipt")
  @WebResult(name = "id", targetNamespace = "urn:steelyard:petstore")
  String submitInvoice(
      @WebParam(name = "document", targetNamespace = "urn:steelyard:petstore") String document,
      @WebParam(name = "messageId", targetNamespace = "urn:steelyard:petstore") String messageId);
}

package steelyard.soakit.service;

import jakarta.xml.bind.JAXBElement;
import steelyard.soakit.Buffet;
import steelyard.soakit.BuffetResponse;
import steelyard.soakit.BuffetRpc;
import steelyard.soakit.BuffetRpcResponse;
import steelyard.soakit.SushiBoats;
import steelyard.soakit.SushiBoatsResponse;
import steelyard.soakit.SushiBoatsRpc;
import steelyard.soakit.SushiBoatsRpcResponse;
import steelyard.soakit.TvDinner;
import steelyard.soakit.TvDinnerResponse;
import steelyard.soakit.TvDinnerRpc;
import steelyard.soakit.TvDinnerRpcResponse;
import steelyard.soakit.buffet.ValidationDocument;
import steelyard.soakit.news.NewsDigestDocument;
import steelyard.soakit.order.AcknowledgePurchaseOrderDocument;

/** The elements of the service's that may be around a document, as JAXB's compiler made them. */
final class Wrappers {

  private Wrappers() {}

  /** What stands in the element around; the message's content itself where none is. */
  static Object within(Object read) {
    if (read instanceof TvDinner wrapper) {
      return wrapper.getProcessPurchaseOrder();
    }
    if (read instanceof TvDinnerRpc call) {
      return call.getDocument();
    }
    if (read instanceof SushiBoats wrapper) {
      return wrapper.getNewsPosting();
    }
    if (read instanceof SushiBoatsRpc call) {
      return call.getDocument();
    }
    if (read instanceof Buffet wrapper) {
      return wrapper.getOrder();
    }
    if (read instanceof BuffetRpc call) {
      return call.getDocument();
    }
    return read;
  }

  /** An answer as the request was asked. */
  static Object around(JAXBElement<?> answer, Object read) {
    if (read instanceof TvDinner) {
      var wrapper = new TvDinnerResponse();
      wrapper.setAcknowledgePurchaseOrder((AcknowledgePurchaseOrderDocument) answer.getValue());
      return wrapper;
    }
    if (read instanceof TvDinnerRpc) {
      var result = new TvDinnerRpcResponse();
      result.setDocument((AcknowledgePurchaseOrderDocument) answer.getValue());
      return result;
    }
    if (read instanceof SushiBoats) {
      var wrapper = new SushiBoatsResponse();
      wrapper.setNewsDigest((NewsDigestDocument) answer.getValue());
      return wrapper;
    }
    if (read instanceof SushiBoatsRpc) {
      var result = new SushiBoatsRpcResponse();
      result.setDocument((NewsDigestDocument) answer.getValue());
      return result;
    }
    if (read instanceof Buffet) {
      var wrapper = new BuffetResponse();
      wrapper.setValidation((ValidationDocument) answer.getValue());
      return wrapper;
    }
    if (read instanceof BuffetRpc) {
      var result = new BuffetRpcResponse();
      result.setDocument((ValidationDocument) answer.getValue());
      return result;
    }
    return answer;
  }
}

package steelyard.soakit.service;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.ws.InvalidXmlException;
import org.springframework.ws.WebServiceMessageException;
import org.springframework.ws.soap.SoapMessage;
import org.springframework.ws.transport.http.WebServiceMessageReceiverHandlerAdapter;

/**
 * Answers by a fault what is no message for the stack's parser, which the contract's deepest
 * documents are: Spring would answer with a status and nothing.
 */
final class FaultingAdapter extends WebServiceMessageReceiverHandlerAdapter {

  @Override
  public ModelAndView handle(
      HttpServletRequest request, HttpServletResponse response, Object handler) throws Exception {
    try {
      return super.handle(request, response, handler);
    } catch (WebServiceMessageException noMessage) {
      answerByFault(response);
      return null;
    }
  }

  @Override
  protected void handleInvalidXmlException(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      InvalidXmlException noXml)
      throws Exception {
    answerByFault(response);
  }

  private void answerByFault(HttpServletResponse response) throws IOException {
    var message = (SoapMessage) getMessageFactory().createWebServiceMessage();
    message.getSoapBody().addClientOrSenderFault("the message cannot be read", Locale.ENGLISH);
    response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
    response.setContentType("text/xml; charset=utf-8");
    message.writeTo(response.getOutputStream());
  }
}

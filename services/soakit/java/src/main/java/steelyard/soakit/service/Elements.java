package steelyard.soakit.service;

import jakarta.xml.soap.MessageFactory;
import jakarta.xml.soap.SOAPConstants;
import jakarta.xml.soap.SOAPException;
import jakarta.xml.soap.SOAPMessage;

/** SOAPElement: the tree that the stack itself makes of a message, read as DOM. */
final class Elements {

  private static final MessageFactory MESSAGES = messages();

  private Elements() {}

  static SOAPMessage answer(UseCase useCase, SOAPMessage message) {
    try {
      var children = Trees.children(message.getSOAPBody()).iterator();
      if (!children.hasNext()) {
        throw new BadDocument("the message is empty");
      }
      SOAPMessage answer = MESSAGES.createMessage();
      answer.getSOAPBody().addDocument(Tree.answer(useCase, children.next()));
      answer.saveChanges();
      return answer;
    } catch (SOAPException e) {
      throw new BadDocument("the message cannot be read: " + e.getMessage(), e);
    }
  }

  private static MessageFactory messages() {
    try {
      return MessageFactory.newInstance(SOAPConstants.SOAP_1_1_PROTOCOL);
    } catch (SOAPException e) {
      throw new IllegalStateException("this server cannot make SOAP messages", e);
    }
  }
}

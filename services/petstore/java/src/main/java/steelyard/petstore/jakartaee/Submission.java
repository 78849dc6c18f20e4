package steelyard.petstore.jakartaee;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** What the web services are asked: a document as one string, and the id of its message, if any. */
@XmlRootElement(name = "submitOrder", namespace = "urn:steelyard:petstore")
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "Submission", namespace = "urn:steelyard:petstore")
public class Submission {

  @XmlElement(namespace = "urn:steelyard:petstore", required = true)
  private String document;

  @XmlElement(namespace = "urn:steelyard:petstore")
  private String messageId;

  public String getDocument() {
    return document;
  }

  public void setDocument(String document) {
    this.document = document;
  }

  public String getMessageId() {
    return messageId;
  }

  public void setMessageId(String messageId) {
    this.messageId = messageId;
  }
}

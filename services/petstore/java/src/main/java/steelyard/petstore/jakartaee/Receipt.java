package steelyard.petstore.jakartaee;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** What the web services answer: the id of the order. */
@XmlRootElement(name = "submitOrderResponse", namespace = "urn:steelyard:petstore")
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "Receipt", namespace = "urn:steelyard:petstore")
public class Receipt {

  @XmlElement(namespace = "urn:steelyard:petstore", required = true)
  private String id;

  public String getId() {
    return id;
  }

  public void setId(String id) {
    this.id = id;
  }
}

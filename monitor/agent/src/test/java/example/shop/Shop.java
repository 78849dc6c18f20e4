package example.shop;

import jakarta.jws.WebMethod;
import jakarta.jws.WebParam;
import jakarta.jws.WebService;
import java.sql.SQLException;

/** The shop as a web service. */
@WebService(targetNamespace = "urn:shop")
public class Shop {

  private final Orders orders = new Orders();

  /** Adds an order; of nothing, it refuses to. */
  @WebMethod
  public String order(@WebParam(name = "item") String item) throws OutOfStock {
    if (item.isEmpty()) {
      throw new OutOfStock("nothing is no item");
    }
    try {
      orders.place(item);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return item;
  }
}

package steelyard.shop.jersey;

import jakarta.persistence.EntityTransaction;
import steelyard.shop.Order;
import steelyard.shop.OrderRequest;
import steelyard.shop.jpa.Orders;

/** Orders in transactions of the entity manager: a servlet container has none of its own. */
public final class LocalOrders extends Orders {

  @Override
  public Order place(OrderRequest request) {
    EntityTransaction transaction = entities.getTransaction();
    transaction.begin();
    try {
      Order placed = super.place(request);
      transaction.commit();
      return placed;
    } finally {
      if (transaction.isActive()) {
        transaction.rollback();
        entities.clear(); // a transaction that begins again reads anew
      }
    }
  }
}

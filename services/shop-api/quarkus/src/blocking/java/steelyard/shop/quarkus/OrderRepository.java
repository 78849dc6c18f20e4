package steelyard.shop.quarkus;

import io.quarkus.hibernate.orm.panache.PanacheRepository;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

@ApplicationScoped
public class OrderRepository implements PanacheRepository<OrderEntity> {

  /** An order with its lines and their items: one join. */
  Optional<OrderEntity> findWithLines(long id) {
    return list("from OrderEntity o join fetch o.lines l join fetch l.item where o.id = ?1", id)
        .stream()
        .findFirst();
  }
}

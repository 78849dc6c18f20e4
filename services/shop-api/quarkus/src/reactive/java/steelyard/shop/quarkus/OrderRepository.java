package steelyard.shop.quarkus;

import io.quarkus.hibernate.reactive.panache.PanacheRepository;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

@ApplicationScoped
public class OrderRepository implements PanacheRepository<OrderEntity> {

  /** An order with its lines and their items: one join. */
  Uni<Optional<OrderEntity>> findWithLines(long id) {
    return list("from OrderEntity o join fetch o.lines l join fetch l.item where o.id = ?1", id)
        .map(found -> found.stream().findFirst());
  }
}

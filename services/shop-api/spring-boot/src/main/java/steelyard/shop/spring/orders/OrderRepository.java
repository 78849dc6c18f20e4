package steelyard.shop.spring.orders;

import java.util.Optional;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Query;

/** Queries of orders with Spring Data JPA. */
interface OrderRepository extends JpaRepository<OrderEntity, Long> {

  /** An order with its lines and their items: one join. */
  @Query(
      "select wanted from OrderEntity wanted join fetch wanted.lines line join fetch line.item"
          + " where wanted.id = :id")
  Optional<OrderEntity> findWithLines(long id);
}

package steelyard.shop.quarkus;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.SqlConnection;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Opens all connections of the pool before requests come; by itself it opens one where none is
 * free.
 */
public class OpenPool {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  void open(
      @Observes StartupEvent start,
      Pool pool,
      @ConfigProperty(name = "quarkus.datasource.reactive.max-size") int size) {
    List<SqlConnection> opened =
        Uni.join()
            .all(Collections.nCopies(size, pool.getConnection()))
            .andFailFast()
            .await()
            .atMost(PATIENCE);
    Uni.join()
        .all(opened.stream().map(SqlConnection::close).toList())
        .andFailFast()
        .await()
        .atMost(PATIENCE);
  }
}
